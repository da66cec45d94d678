"""Makes the two PDF files of examples/ from the texts below.

Needs reportlab (pip install reportlab==5.1.0). Run from the repository root:
python3 xtask/examples-pdf/make_pdf.py
"""

from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

STYLES = getSampleStyleSheet()

FIELD_GUIDE = [
    ("title", "Kestrel field guide"),
    ("body", "For the person who stands in the wet grass with a box. Read it once at the kitchen table; the pages after that are for your pocket."),
    ("h", "Choosing the spot"),
    ("body", "Wind is measured ten times as far from an obstacle as the obstacle is high. A barn of six metres therefore wants sixty metres. If you cannot have that, take the spot from which the weather usually comes, and note in Skylark what stands in the way."),
    ("body", "Rain wants shelter and wind wants none, so one mast is always a compromise. When rain matters more to you, stay below two metres and out of the drip of trees."),
    ("body", "Keep away from irrigation. A sprinkler that reaches the funnel once a day adds more water to your records than a wet April."),
    ("h", "Putting up the mast"),
    ("body", "Screw the ground anchor in until the ring is level with the turf. Join the pieces of the mast on the ground, put the station on top, and raise all of it together. Two people need ten minutes; one person needs a helper."),
    ("body", "Turn the body until the small engraved arrow points north. Use a compass and stay three metres away from the car while you read it. An error of fifteen degrees is hard to see and spoils every wind rose you will ever draw."),
    ("body", "Tighten the four ropes crosswise. The mast is straight when the bubble of the level stays between the lines on two sides."),
    ("page", ""),
    ("h", "First start"),
    ("body", "Pull the orange strip. The lamp blinks white while the station looks for a gateway, for at most five minutes. Green means that it has one. Violet means that it hears a gateway that belongs to somebody else; add it in Skylark by its serial number."),
    ("h", "What the lamp says"),
    ("table", [
        ["Lamp", "Meaning", "Current drawn"],
        ["white, blinking", "searching for a gateway", "38 mA"],
        ["green, two seconds", "report delivered", "21 mA"],
        ["amber, once a minute", "no gateway, readings are kept", "0.4 mA"],
        ["violet", "gateway of another account", "38 mA"],
        ["red, steady", "press the blue button and read the code", "6 mA"],
    ]),
    ("h", "Through the year"),
    ("body", "In spring, lift the funnel and rinse it. In summer, cut the grass below the mast, because grass cools the air and cheats the thermometer. In autumn, look into the funnel every week. In winter, brush snow from the panel with a glove, never with a scraper."),
    ("body", "Every second year the filter cap of the humidity probe is exchanged, part LK-TH-071. A clogged cap reads too damp in the morning and nobody notices for months."),
    ("h", "Taking it down"),
    ("body", "Switch the station off by holding the blue button for fifteen seconds. Loosen the rope on the side you want it to come down to, last. Put the strip back before you close the case."),
]

ANNUAL_REVIEW = [
    ("title", "Annual review 2024"),
    ("body", "To everybody who works at Larkfield Instruments, and to the two banks that asked. All amounts are in thousand EUR unless something else is said."),
    ("h", "The year in short"),
    ("body", "We sold more than ever and earned a little less than the year before. Vineyards came back after two thin seasons. The price of radio boards rose by a fifth in spring, and we did not pass it on until September, which was too late by about three months."),
    ("h", "Figures"),
    ("table", [
        ["", "2022", "2023", "2024"],
        ["Revenue", "6,840", "7,310", "8,125"],
        ["of which subscriptions", "1,260", "1,705", "2,290"],
        ["Material", "2,930", "2,990", "3,610"],
        ["Wages", "2,410", "2,640", "2,880"],
        ["Result before tax", "512", "698", "641"],
        ["Cash at year's end", "890", "1,240", "1,075"],
    ]),
    ("body", "Subscriptions now cover the wages of the software team and the service desk together. That was the aim for 2026, so we are two years early."),
    ("h", "What went wrong"),
    ("body", "The outdoor gateway was delayed by seven months, because its housing let in water at the cable entry. We scrapped 340 housings. The new ones have a drip edge that costs 11 cents."),
    ("page", ""),
    ("h", "People"),
    ("body", "Five colleagues joined and two left. The average stay is now 5.8 years. Nobody was hurt at work apart from one burned thumb, whose owner has asked not to be named and is known to all."),
    ("h", "Plans for 2025"),
    ("body", "We will move frost alarms into the gateway, open a repair bench in Porto, and stop selling the Heron without its camera once the stock is gone. We will not hire a sales team; every attempt to do so has cost more than it brought."),
    ("body", "We set aside 180 thousand EUR for the test field near Wakefield. It will have nine masts, a heated rain gauge and a fence that keeps out the neighbour's goat, who ate a cable in June."),
    ("h", "Risks"),
    ("body", "One supplier makes all our radio boards. A second one is being tested and should be approved in the third quarter. Until then we hold boards for five months of sales, which ties up about 260 thousand EUR."),
]

GRID = TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.grey), ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke)])


def flowables(parts):
    for kind, content in parts:
        if kind == "title":
            yield Paragraph(content, STYLES["Title"])
        elif kind == "h":
            yield Paragraph(content, STYLES["Heading2"])
        elif kind == "body":
            yield Paragraph(content, STYLES["BodyText"])
        elif kind == "page":
            yield PageBreak()
        else:
            yield Table(content, style=GRID, hAlign="LEFT")
            yield Spacer(1, 8)


def make(path, title, parts):
    # invariant: the same bytes on every run.
    document = SimpleDocTemplate(str(path), pagesize=A4, title=title, author="Larkfield Instruments", invariant=1)
    document.build(list(flowables(parts)))


if __name__ == "__main__":
    root = Path(__file__).resolve().parents[2] / "examples"
    make(root / "catalogue" / "kestrel-field-guide.pdf", "Kestrel field guide", FIELD_GUIDE)
    make(root / "finance" / "annual-review-2024.pdf", "Annual review 2024", ANNUAL_REVIEW)
