"""Volcengine EMR Serverless on mGPU: Spark, Ray and CustomJob."""

from gpuxlate.backends.volcengine_emr.backend import CUSTOMJOB, RAY, SPARK

__all__ = ["CUSTOMJOB", "RAY", "SPARK"]
