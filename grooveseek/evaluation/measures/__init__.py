"""Retrieval measures: plain functions of a ranking and its judgments, equal to ir_measures on the same files."""

from grooveseek.evaluation.measures.auroc import auroc
from grooveseek.evaluation.measures.average_precision import AveragePrecision
from grooveseek.evaluation.measures.counting import Precision, Recall, Success
from grooveseek.evaluation.measures.means import Mean, Scores, mean, mean_scores, score_run, split_by_answers
from grooveseek.evaluation.measures.names import parse_measure, standard_measures
from grooveseek.evaluation.measures.ndcg import NDCG, Gain
from grooveseek.evaluation.measures.protocol import METRIC_VERSION, Measure
from grooveseek.evaluation.measures.reciprocal_rank import ReciprocalRank
from grooveseek.evaluation.measures.unjudged import Unjudged

__all__ = [
    "METRIC_VERSION",
    "NDCG",
    "AveragePrecision",
    "Gain",
    "Mean",
    "Measure",
    "Precision",
    "Recall",
    "ReciprocalRank",
    "Scores",
    "Success",
    "Unjudged",
    "auroc",
    "mean",
    "mean_scores",
    "parse_measure",
    "score_run",
    "split_by_answers",
    "standard_measures",
]
