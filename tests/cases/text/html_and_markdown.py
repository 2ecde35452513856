from IPython.display import HTML, Markdown, display

display(Markdown("## Result"))
display(HTML("<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"))
# | ## Result
# | a  b
# | 1  2
