"""AlignedText: what HF does to alignments, by hand. That whole normalizers align as HF's do is in test_normalizers."""

import pytest

from tinyllm.tok.pipeline.aligned import AlignedText

ABC = AlignedText.of("abc")


def test_each_character_of_a_text_stands_for_itself():
    assert AlignedText.of("aé") == AlignedText("aé", [(0, 1), (1, 2)])


def test_a_text_that_starts_later_counts_from_there():
    assert AlignedText.of("ab", start=7).spans == [(7, 8), (8, 9)]


def test_there_must_be_a_span_for_each_character():
    with pytest.raises(ValueError, match="2 characters and 1 spans"):
        AlignedText("ab", [(0, 1)])


def test_a_slice_keeps_its_places():
    assert ABC.slice(1, 3) == AlignedText("bc", [(1, 2), (2, 3)])


def test_a_token_spans_from_its_first_character_to_its_last():
    assert AlignedText("xyz", [(0, 1), (4, 5), (5, 8)]).span(1, 3) == (4, 8)


@pytest.mark.parametrize("start, end", [(1, 1), (2, 1), (0, 4), (-1, 2)])
def test_no_characters_have_no_span(start, end):
    with pytest.raises(ValueError, match=f"from {start} to {end}"):
        ABC.span(start, end)


def test_a_replacement_takes_the_place_of_the_next_character():
    assert ABC.transform([("A", 0), ("B", 0), ("C", 0)]) == AlignedText("ABC", ABC.spans)


def test_a_new_character_takes_the_place_of_the_one_before_it():
    assert ABC.transform([("a", 0), ("+", 1), ("b", 0), ("c", 0)]).spans == [(0, 1), (0, 1), (1, 2), (2, 3)]


def test_a_new_character_behind_removed_ones_takes_the_place_of_the_last_of_them():
    assert ABC.transform([("a", -1), ("+", 1), ("c", 0)]).spans == [(0, 1), (1, 2), (2, 3)]


def test_characters_removed_at_the_start_are_passed_over():
    assert ABC.transform([("c", 0)], removed=2) == AlignedText("c", [(2, 3)])


def test_a_new_character_at_the_very_start_is_refused():
    with pytest.raises(ValueError, match="'\\+' is new at the very start"):
        ABC.transform([("+", 1), ("a", 0)])


def test_a_replacement_behind_the_end_is_refused():
    with pytest.raises(ValueError, match="'d' replaces a character behind the end of 'abc'"):
        ABC.transform([("a", 0), ("b", 0), ("c", 0), ("d", 0)])


def test_what_replaces_a_match_stands_at_its_last_character():
    assert AlignedText.of("cab d").replace([(1, 3)], "XYZ") == AlignedText(
        "cXYZ d", [(0, 1), (2, 3), (2, 3), (2, 3), (3, 4), (4, 5)]
    )


def test_what_replaces_an_empty_match_stands_at_the_character_before_it():
    assert ABC.replace([(2, 2)], "-") == AlignedText("ab-c", [(0, 1), (1, 2), (1, 2), (2, 3)])


def test_a_match_that_nothing_replaces_is_gone():
    assert ABC.replace([(0, 1), (2, 3)], "") == AlignedText("b", [(1, 2)])


def test_an_empty_match_at_the_start_has_no_character_to_stand_at():
    with pytest.raises(ValueError, match="at the start of 'abc' cannot be replaced by '-'"):
        ABC.replace([(0, 0)], "-")


def test_what_is_prepended_stands_at_the_first_character():
    assert ABC.slice(1, 3).prepend("> ") == AlignedText("> bc", [(1, 2), (1, 2), (1, 2), (2, 3)])


def test_nothing_is_prepended_to_an_empty_text():
    assert AlignedText.of("").prepend("> ") == AlignedText("", [])
