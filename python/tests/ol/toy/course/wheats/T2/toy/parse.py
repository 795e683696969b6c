"""Another correct T2: reading by hand, character by character."""


def parse(text: str) -> list[int]:
    numbers, part = [], ""
    for character in text + ("," if text else ""):
        if character == ",":
            numbers.append(int(part))
            part = ""
        else:
            part += character
    return numbers
