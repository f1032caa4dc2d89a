"""What values mean: said once, of signed values, carried to other graphs, and of no effect on programs."""

from __future__ import annotations

from kanegen.codegen.graph import Argument, Graph, Meaning, Program, compose, constant, inputs

SUM, OTHER = Meaning("s", "the sum"), Meaning("o", "another")


def test_the_first_meaning_of_a_value_or_its_negative_stays() -> None:
    graph = Graph()
    x, y = inputs(graph, "x", 2)
    nodes = len(graph)
    difference = (x - y).mean(SUM)
    assert (y - x).mean(OTHER) == -difference
    assert graph.meanings == {difference.ref: SUM}
    assert len(graph) == nodes + 1


def test_numbers_and_inputs_mean_themselves() -> None:
    graph = Graph()
    constant(graph, 3).mean(SUM)
    inputs(graph, "x", 1)[0].mean(SUM)
    assert not graph.meanings


def test_meanings_go_along_with_their_values_and_signs() -> None:
    graph = Graph()
    x, y = inputs(graph, "x", 2)
    value = ((x - y) * x).mean(SUM)
    argument = (Argument("x", (2,), "", ""),)
    program = Program("p", "", "", argument, (Argument("y", (), "", ""),), graph, ((value.ref,),))
    other = Graph()
    a, b = inputs(other, "a", 2)
    ((carried,),) = compose(program, other, {"x": (-a, b)})
    assert other.meanings == {carried.ref: SUM}
