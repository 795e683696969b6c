"""The reference of T2: reading."""


def parse(text: str) -> list[int]:
    if text == "":
        return []
    return [int(part) for part in text.split(",")]
