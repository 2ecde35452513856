#: runtime native
#: arguments {"timeout": 55}
import attr
import jinja2
import markdown
import pandas as pd
import rich.table
import toolz
import yaml
from tqdm.auto import tqdm

table = pd.DataFrame({"name": ["a", "b"], "value": [1, 2]})
assert table.to_markdown(index=False).splitlines()[2] == "| a      |       1 |"
assert "background-color" in table.style.highlight_max(subset=["value"]).to_html()
assert sum(tqdm([1, 2, 3])) == 6
assert yaml.safe_load("a: [1, 2]") == {"a": [1, 2]}
assert jinja2.Template("{{ x }}").render(x=1) == "1"
assert markdown.markdown("*a*") == "<p><em>a</em></p>"
assert list(toolz.partition(2, range(4))) == [(0, 1), (2, 3)]
assert attr.make_class("C", ["x"])(1).x == 1
print("ok")
# | ok
# | [stderr]
# | 100%|██████████| 3/3 [00:00<00:00, <n>it/s]
