"""Tables in the shape of those that seaborn's examples load from the network, with made-up numbers.

A column is a range of numbers (`3..50` has whole ones, `3.0..50` has fractions), or words, `a/b/c`.
Columns before the bar are crossed with each other: each of their combinations is a row. Behind the
bar every value is drawn by chance; a `?` lets some be missing.
"""

import csv
import io
import itertools
import random

MONTHS = "Jan/Feb/Mar/Apr/May/Jun/Jul/Aug/Sep/Oct/Nov/Dec"
DAYS = "Thur/Fri/Sat/Sun"
# A table: how often its combinations are repeated, its crossed columns, its other columns.
TABLES = {
    "anagrams": "10 subidr=1..2 attnr=divided/focused | num1=2.0..8 num2=2.0..8 num3=2.0..8",
    "anscombe": "11 dataset=I/II/III/IV | x=4.0..14 y=3.0..12",
    "attention": "1 subject=1..20 attention=divided/focused solutions=1..3 | score=2.0..9",
    "car_crashes": "1 abbrev=AK/AL/AR/CA/DC/FL/GA/HI/IA/KY/ME/NY/OH/OK/OR/PA/RI/TX/UT/WV"
    " | total=5.0..25 speeding=1.0..9 alcohol=1.0..10 not_distracted=1.0..20"
    " no_previous=1.0..20 ins_premium=600.0..1300 ins_losses=80.0..190",
    "diamonds": "60 cut=Ideal/Premium/Good/Fair/VeryGood color=D/E/F/G/H/I/J"
    " | clarity=SI2/SI1/VS1/VS2/VVS2/VVS1/I1/IF carat=0.2..5.0 depth=50.0..75 table=50.0..70"
    " price=330..18000 x=3.0..9 y=3.0..9 z=2.0..6",
    "dots": "1 align=dots/sacc choice=T1/T2 time=-600/-400/-200/0/80/160/240/320/480/600"
    " coherence=0/3.2/6.4/12.8/25.6/51.2 | firing_rate=20.0..70",
    "dowjones": "1 Date=1914..1968-12-01 | Price=60.0..900",
    "exercise": "10 diet=no fat/low fat kind=rest/walking/running time=1 min/15 min/30 min"
    " | id=1..30 pulse=80.0..150",
    "flights": f"1 year=1949..1960 month={MONTHS} | passengers=100..620",
    "fmri": "1 subject=s0/s1/s2/s3/s4/s5/s6/s7/s8/s9/s10/s11/s12/s13 timepoint=0..18"
    " event=stim/cue region=parietal/frontal | signal=-0.2..0.5",
    "geyser": "90 kind=short/long | duration=1.5..5.0 waiting=40..100",
    "glue": "1 Model=BERT/T5/RoBERTa/ERNIE/ELMo/BiLSTM Task=CoLA/SST-2/MRPC/QQP/RTE/MNLI"
    " | Year=2017..2021 Encoder=LSTM/Transformer Score=40.0..98",
    "healthexp": "1 Year=1970..2020 Country=Canada/France/Germany/Japan/USA/Great Britain"
    " | Spending_USD=100.0..11000 Life_Expectancy=70.0..85",
    "iris": "50 species=setosa/versicolor/virginica"
    " | sepal_length=4.0..8 sepal_width=2.0..4.5 petal_length=1.0..7 petal_width=0.1..2.5",
    "mpg": "40 origin=usa/europe/japan cylinders=4/6/8"
    " | mpg=9.0..46 displacement=68.0..455 horsepower=46.0..230? weight=1613..5140"
    " acceleration=8.0..24 model_year=70..82 name=bug/dart/civic/model a",
    "penguins": "30 species=Adelie/Chinstrap/Gentoo island=Torgersen/Biscoe/Dream"
    " sex=MALE/FEMALE | bill_length_mm=32.0..60? bill_depth_mm=13.0..22?"
    " flipper_length_mm=170..232? body_mass_g=2700..6300?",
    "planets": "60 method=Radial Velocity/Transit/Imaging/Microlensing | number=1..7"
    " orbital_period=0.1..7000.0? mass=0.01..25.0? distance=1.0..8000? year=1989..2014",
    "seaice": "1 Date=1980..2019-02-15/1980..2019-06-15/1980..2019-10-15 | Extent=3.0..16",
    "tips": f"8 sex=Male/Female smoker=Yes/No day={DAYS} time=Lunch/Dinner"
    " | total_bill=3.0..51 tip=1.0..10 size=1..6",
    "titanic": "70 survived=0/1 pclass=1..3 sex=male/female"
    " | age=1.0..80? sibsp=0..5 parch=0..4 fare=0.0..512 embarked=S/C/Q class=First/Second/Third"
    " who=man/woman/child adult_male=True/False deck=A/B/C/D/E alive=yes/no alone=True/False",
}
# Columns in the order in which some examples count on.
ORDER = {"tips": "total_bill tip sex smoker day time size".split()}


def tables() -> dict[str, str]:
    """Give every table as CSV, the same ones each time."""
    made = {name: table(name, spec) for name, spec in TABLES.items()}
    return made | {"brain_networks": brain_networks()}


def table(name: str, spec: str) -> str:
    """Give one table."""
    chance = random.Random(name)
    times, _, columns = spec.partition(" ")
    left, _, right = columns.partition(" | ")
    crossed = {key: list(values(text)) for key, text in pairs(left)}
    drawn = pairs(right)
    rows = [
        dict(zip(crossed, combination, strict=True))
        | {key: draw(text, chance) for key, text in drawn}
        for combination in itertools.product(*crossed.values())
        for _ in range(int(times))
    ]
    out = io.StringIO()
    fields = ORDER.get(name) or [*crossed, *(key for key, _ in drawn)]
    writer = csv.DictWriter(out, fields)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def pairs(text: str) -> list[tuple[str, str]]:
    """Give `a=x y z b=w` as names and their descriptions."""
    found: list[tuple[str, str]] = []
    for word in text.split(" "):
        if "=" in word:
            key, _, value = word.partition("=")
            found.append((key, value))
        elif word:
            found[-1] = (found[-1][0], f"{found[-1][1]} {word}")
    return found


def values(text: str) -> list[str]:
    """Give all values of a crossed column."""
    found: list[str] = []
    for part in text.split("/"):
        first, dots, last = part.partition("..")
        if not dots:
            found.append(part)
            continue
        end, dash, day = last.partition("-")
        found += [f"{n}{dash}{day}" for n in range(int(first), int(end) + 1)]
    return found


def draw(text: str, chance: random.Random) -> str:
    """Give one value by chance."""
    if text.endswith("?") and chance.random() < 0.03:
        return ""
    first, dots, last = text.removesuffix("?").partition("..")
    if not dots:
        return chance.choice(text.split("/"))
    if "." in first:
        return f"{chance.triangular(float(first), float(last)):.2f}"
    return str(chance.randint(int(first), int(last)))


def brain_networks() -> str:
    """Give the table that has three lines of headings."""
    chance = random.Random(3)
    heads = list(itertools.product(range(1, 18), (1, 2), ("lh", "rh")))
    lines = [
        ",".join([label, *(str(head[level]) for head in heads)])
        for level, label in enumerate(("network", "node", "hemi"))
    ]
    lines.append("," * len(heads))
    lines += [
        ",".join([str(row), *(f"{chance.gauss(0, 30):.3f}" for _ in heads)]) for row in range(200)
    ]
    return "\n".join(lines) + "\n"
