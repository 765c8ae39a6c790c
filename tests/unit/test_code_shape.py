"""What keeps the code easy to read, and what would otherwise slide back unseen."""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

TOP = Path(__file__).parents[2]
PACKAGE = TOP / "amr_neo4j"
DECISIONS = TOP / "docs" / "decisions"

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOKED_AT = (
    *_COMPREHENSIONS,
    ast.IfExp,
    ast.Subscript,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Call,
    ast.ClassDef,
)

# How many calls pass more than three arguments by their place. Lower it when there are fewer.
_CALLS_BY_PLACE = 902
# Here a framework calls functions by the names of their parameters: typer, REST, and the tools of agents.
_CALLED_BY_NAME = ("amr_neo4j/cli/", "amr_neo4j/server/calls.py", "amr_neo4j/integrations/")


@cache
def _nodes() -> list[tuple[str, ast.AST]]:
    """[(where it stands, node)] of what these tests look at in the package."""
    nodes: list[tuple[str, ast.AST]] = []
    for file in sorted(PACKAGE.rglob("*.py")):
        found = [node for node in ast.walk(ast.parse(file.read_bytes())) if isinstance(node, _LOOKED_AT)]
        nodes += [(f"{file.relative_to(TOP)}:{node.lineno}", node) for node in found]
    return nodes


def test_a_comprehension_has_two_clauses_or_a_condition_but_not_both() -> None:
    """With both, write a loop or give the inner list a name."""
    comprehensions = [(where, node.generators) for where, node in _nodes() if isinstance(node, _COMPREHENSIONS)]
    dense = [where for where, clauses in comprehensions if len(clauses) > 1 and any(each.ifs for each in clauses)]
    assert not dense


def test_no_conditional_expression_is_a_part_of_another() -> None:
    conditionals = [(where, node) for where, node in _nodes() if isinstance(node, ast.IfExp)]
    nested = [
        where
        for where, node in conditionals
        if any(isinstance(part, ast.IfExp) for part in (node.test, node.body, node.orelse))
    ]
    assert not nested


def test_columns_of_a_row_have_names() -> None:
    """row.name in Cypher, a NamedTuple or an unpacking in Python. Pairs such as (scope, person id) are no rows."""
    by_number = [
        where
        for where, node in _nodes()
        if isinstance(node, ast.Subscript) and re.fullmatch(r"row\[\d+\]", ast.unparse(node))
    ]
    for file in sorted((TOP / "cypher").rglob("*.cypher")):
        found = re.findall(r"\brow\[\d\]|\w\[[2-9]\]", file.read_text(encoding="utf-8"))
        by_number += [f"{file.relative_to(TOP)}: {each}" for each in found]
    assert not by_number


def test_modules_import_one_another_in_no_circle() -> None:
    """Neither when they are loaded, nor inside functions, nor for type checkers alone."""
    graph = grimp.build_graph(PACKAGE.name, cache_dir=None)
    order = TopologicalSorter({module: graph.find_modules_directly_imported_by(module) for module in graph.modules})
    order.prepare()  # raises CycleError, which names the circle


def test_no_function_takes_more_than_six_parameters_by_their_place() -> None:
    functions = [
        (where, node) for where, node in _nodes() if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    long: list[str] = []
    for where, function in functions:
        names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
        if len(names) - (names[:1] in (["self"], ["cls"])) > 6 and not where.startswith(_CALLED_BY_NAME):
            long.append(f"{where} {function.name}")
    assert not long


def test_no_two_public_classes_have_one_name() -> None:
    """Except that an implementation may have the name of its Protocol in domain/ports.py."""
    found: dict[str, list[str]] = {}
    for where, node in _nodes():
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and "domain/ports.py" not in where:
            found.setdefault(node.name, []).append(where)
    assert not [places for places in found.values() if len(places) > 1]


def test_ever_fewer_calls_pass_more_than_three_arguments_by_their_place() -> None:
    calls = [node for _, node in _nodes() if isinstance(node, ast.Call)]
    assert len([call for call in calls if len(call.args) > 3]) <= _CALLS_BY_PLACE


def test_decisions_are_short_and_each_is_in_the_list() -> None:
    text = (DECISIONS / "README.md").read_text(encoding="utf-8")
    files = [file for file in sorted(DECISIONS.glob("*.md")) if file.name != "README.md"]
    found = re.search(r"highest ever used \((\d+) so far.*?under (\d+)\s+lines", text, re.DOTALL)
    assert found
    assert [file.name for file in files if len(file.read_text(encoding="utf-8").splitlines()) >= int(found[2])] == []
    assert {file.name for file in files} == set(re.findall(r"\]\((\d{4}-[^)]+)\)", text))
    assert files[-1].name[:4] <= found[1]
