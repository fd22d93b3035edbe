"""The prompts: how to put the tools together for four kinds of question. Their text is fixed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from grooveseek.errors import QueryError
from grooveseek.text.dates import parse_date

RULES = """
Rules for the answer:
- Rest every statement on what the tools returned. Cite the document's path with the lines it rests on, as
  (path:start_line-end_line), or the path alone where a result has no lines.
- When a search is marked low_confidence, say that its results are uncertain before you use them.
- When the knowledge base says nothing on a point, say so; do not fill the gap from elsewhere.
- A result marked stale was changed after it was indexed: read it with get_document before you cite it.
"""

DAYS_BACK = 30
MAX_ARGUMENT_CHARS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSpec:
    """One prompt. ``arguments``: name, what it means, whether it is required. ``render`` makes its text."""

    name: str
    title: str
    description: str
    arguments: tuple[tuple[str, str, bool], ...]
    render: Callable[[Mapping[str, str]], str]


def render_prompt(spec: PromptSpec, given: Mapping[str, str]) -> str:
    """The prompt's text. Raises QueryError for an argument that is missing, unknown, too long or no date."""
    known = [name for name, _, _ in spec.arguments]
    for name in given:
        if name not in known:
            raise QueryError(f"{spec.name} has no argument {name[:80]!r}; it has {', '.join(known)}")
    values = {name: " ".join(text.split()) for name, text in given.items()}
    for name, _, required in spec.arguments:
        if required and not values.get(name):
            raise QueryError(f"{spec.name} needs the argument {name}")
        if len(values.get(name, "")) > MAX_ARGUMENT_CHARS:
            raise QueryError(f"{name} is longer than {MAX_ARGUMENT_CHARS} characters; shorten it")
    return spec.render({name: value for name, value in values.items() if value}).strip() + "\n" + RULES


def _summarize_topic(given: Mapping[str, str]) -> str:
    topic = given["topic"]
    return f"""
Summarize what the knowledge base says about "{topic}".

1. Call list_topics. If a topic or a category there is what is meant, use its exact name as the topic or category
   filter in what follows; otherwise search without a filter.
2. Call search with the topic as the query and limit 20, then again with two or three other wordings of it and with
   parent_retriever true, to see passages with what stands around them.
3. Read the documents that come up again and again with get_document.
4. Write the summary: what the topic is, the main points, where documents disagree, and what is the most recent.
"""


def _deep_dive(given: Mapping[str, str]) -> str:
    question = given["question"]
    return f"""
Answer this question from the knowledge base, thoroughly: {question}

1. Break the question into its parts. Search for the whole and for each part, in the words a document would use as well
   as in those of the question.
2. For the best two or three documents call get_connection_graph with start set to the document's path: it leads to
   related documents that share no words with the question. Search in what it brings up.
3. Read the passages that matter with get_document, with start_line and end_line around what search found.
4. Look for what speaks against the answer too.
5. Answer the question first, then give the reasons part by part, then what stays open.
"""


def _whats_new(given: Mapping[str, str]) -> str:
    since = given.get("since") or (dt.date.today() - dt.timedelta(days=DAYS_BACK)).isoformat()
    if parse_date(since) is None or len(since) != len("2026-01-31"):
        raise QueryError(f"since is {since[:80]!r}, which is no date. Write YYYY-MM-DD")
    return f"""
Tell what is new in the knowledge base since {since}.

1. Call list_topics to see what the knowledge base covers.
2. For each of its main topics call search with date_from "{since}", the topic as the query and limit 20.
3. Read what looks important with get_document.
4. Report by topic, the newest first, each with its date.

date_from filters by the date that the author gave a document in its text or metadata, not by when its file changed: a
document without such a date does not come up, and one that was edited without a new date does not either. Say so in
the report.
"""


def _find_gaps(given: Mapping[str, str]) -> str:
    topic = given.get("topic")
    subject = f'on "{topic}"' if topic else "as a whole"
    first = (
        f'Search for "{topic}" and for what belongs to it'
        if topic
        else "Call list_topics, and search for each of the main topics"
    )
    return f"""
Find what is missing in the knowledge base {subject}.

1. {first}, with limit 20.
2. List the questions that a newcomer would ask, and search for each one. Note those that come back without results,
   with low_confidence, or with a low confidence.
3. Look for documents that are thin, marked as unfinished, or out of date: search with include_low_quality true, and
   compare dates.
4. Call get_connection_graph on the central documents: one that nothing is connected to stands alone.
5. Report the gaps, the most important first: the question that stays open, what there is instead, and which document
   should have the answer.
"""


PROMPTS: tuple[PromptSpec, ...] = (
    PromptSpec(
        name="summarize_topic",
        title="Summarize a topic",
        description="Summarize what the knowledge base says about a topic, with citations.",
        arguments=(("topic", "The topic, as list_topics names it or in any words.", True),),
        render=_summarize_topic,
    ),
    PromptSpec(
        name="deep_dive",
        title="Answer a question thoroughly",
        description="Answer a question from several documents and what they are connected to, with citations.",
        arguments=(("question", "The question.", True),),
        render=_deep_dive,
    ),
    PromptSpec(
        name="whats_new",
        title="See what is new",
        description=f"Report what was dated since a day, by default {DAYS_BACK} days ago.",
        arguments=(("since", f"A day as YYYY-MM-DD; {DAYS_BACK} days ago when left out.", False),),
        render=_whats_new,
    ),
    PromptSpec(
        name="find_gaps",
        title="Find gaps",
        description="Find questions that the knowledge base leaves open, on a topic or as a whole.",
        arguments=(("topic", "The topic; everything when left out.", False),),
        render=_find_gaps,
    ),
)
