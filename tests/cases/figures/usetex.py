#: options --figure-text off
import matplotlib.pyplot as plt
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.textpath import TextPath

plt.rcParams["text.usetex"] = True
fig, ax = plt.subplots(figsize=(4, 3))
ax.plot([0, 1])
ax.set_title(r"\TeX\ is $\displaystyle\sum_{n=1}^\infty\frac{-e^{i\pi}}{2^n}$ \textbf{bold}")
ax.set_xlabel(r"\SI{5}{\kilo\metre\per\second}, 50\%")
ax.text(0, 0.5, r"\begin{equation} a^2 + b^2 \end{equation}")
ax.text(0, 0.2, r"$\begin{pmatrix} a & b \\ c & d \end{pmatrix} \in \mathds{R}$")
plt.savefig("page.svg")
with PdfPages("pages.pdf") as pages:
    pages.savefig(fig)
fig.savefig("by_name.pdf", backend="pgf")
fig.savefig("text.pgf")
plt.close("all")
print(TextPath((0, 0), r"$\frac{1}{2}$", usetex=True).vertices.shape[1])
#: runtime native
#: images 361x337 png
# | [image 1: 361x337 PNG, "\\TeX\\ is $\\displaystyle\\sum_{n=1}^\\infty\\frac{-e^{i\\pi}}{2^n}$ \\textbf{bold}"]
# | 2
# | [note: `usetex` was ignored: there is no LaTeX here, formulas are drawn by matplotlib itself]
# | [files written: by_name.pdf (<n> bytes), page.svg (<n> bytes), pages.pdf (<n> bytes), text.pgf (<n> bytes)]
