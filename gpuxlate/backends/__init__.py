"""Targets: one folder or file for each, found by name in ``registry``."""

from __future__ import annotations

WORDS: tuple[str, ...] = (
    "aliyun.accelerator/",
    "aliyun.com/",
    "amd.com/",
    "aws.amazon.com/",
    "baidu.com/",
    "cambricon.com/",
    "cambricon_dsmlu_assigned",
    "cambricon_dsmlu_profile",
    "cuda_disable_control",
    "cuda_mps_active_thread_percentage",
    "cuda_mps_pinned_device_mem_limit",
    "cuda_task_priority",
    "deviceclass/",
    "enflame.com/",
    "google.com/",
    "gpu",
    "habana.ai/",
    "hami.io/",
    "huawei.com/",
    "hygon.com/",
    "iluvatar.ai/",
    "kai.scheduler/",
    "katalyst.kubewharf.io/",
    "koordinator.sh/",
    "kunlunxin.com/",
    "metax-tech.com/",
    "mthreads.ai/",
    "mthreads.com/",
    "nos.nebuly.com/",
    "nvidia.com/",
    "orion_",
    "received-resource-type",
    "runai-calculated-status",
    "runai-current-",
    "runai-pending-pods",
    "runai-running-pods",
    "runai-used-nodes",
    "runai-visible-devices",
    "runai/",
    "tencent.com/",
    "tensor-fusion.ai",
    "vastaitech.com",
    "vke.volcengine.com/",
    "volcano.sh/",
)
"""The words of all built-in targets: a text without any of them is not read for its keys.

As ``rules.vocabulary.words`` finds them in the data sheets, which take longer to load than a text to be
searched. ``tests/lint/test_text_soundness.py`` compares them, and shows what to write here.
"""
