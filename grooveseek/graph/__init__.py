"""The connection graph: documents near a document, and those near them."""

from grooveseek.graph.report import graph_as_json
from grooveseek.graph.request import GraphRequest
from grooveseek.graph.walk import Graph, Node, Truncation, walk_graph

__all__ = ["Graph", "GraphRequest", "Node", "Truncation", "graph_as_json", "walk_graph"]
