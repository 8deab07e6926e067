"""What ``gpuxlate nodepool`` says and writes for autoscalers."""

from __future__ import annotations

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.nodepool.conftest import Run


def test_what_an_autoscaler_is_told(run: Run) -> None:
    code, out, _ = run("part.yaml --to vke -o asg-tags --check ten.yaml")
    head = "k8s.io/cluster-autoscaler/node-template"
    assert yaml.safe_load(out) == {
        f"{head}/resources/vke.volcengine.com/mgpu-core": "400",
        f"{head}/resources/vke.volcengine.com/mgpu-memory": str(4 * 22731),
        f"{head}/label/vke.volcengine.com/mgpu-compute-policy": "fixed-share",
    }
    assert code == 0
    code, out, _ = run("part.yaml --to vke -o karpenter --check ten.yaml --instance-type a --instance-type b")
    overlay = yaml.safe_load(out)
    assert (overlay["kind"], overlay["spec"]["requirements"][0]["values"]) == ("NodeOverlay", ["a", "b"])
    assert overlay["spec"]["capacity"]["vke.volcengine.com/mgpu-core"] == "400"


WARNED = [
    ("part --to hami", "Cluster Autoscaler adds no node for them"),
    ("memory --to kai", "node-scale-adjuster"),
    ("slice --to nvidia-shared --check same-name.yaml", "adds one node for each pending pod first"),
    ("mig --to nvidia-mig --check single.yaml", "adds one node for each pending pod first"),
    ("part --to dra-hami", "a pool without nodes has no ResourceSlices"),
    ("part --to dra-hami", "make up whole cards alone"),
]


@pytest.mark.parametrize(("command", "words"), WARNED)
def test_warnings_about_autoscalers(run: Run, command: str, words: str) -> None:
    assert words in " ".join(run(command.replace(" ", ".yaml ", 1))[1].split())


def test_nodes_that_show_all_clients_need_no_warning(run: Run) -> None:
    assert "pending pod" not in run("slice.yaml --to nvidia-shared")[1]
    assert "pending pod" not in run("mig.yaml --to nvidia-mig")[1]


TAG, ANNOTATION = "k8s.io/cluster-autoscaler/node-template", "capacity.cluster-autoscaler.kubernetes.io"
REPLICAS, STRATEGY = "nvidia.com/gpu.replicas", "nvidia.com/gpu.sharing-strategy"
SCALED = {
    # pods choose these nodes by labels that GPU feature discovery sets: the template has them too
    "slice --to nvidia-shared -o asg-tags --check nvidia-shared.h100.yaml": {
        f"{TAG}/resources/nvidia.com/gpu.shared": "16",
        f"{TAG}/label/nvidia.com/device-plugin.config": "shared",
        f"{TAG}/label/{STRATEGY}": "time-slicing",
        f"{TAG}/label/{REPLICAS}": "4",
    },
    "mig --to nvidia-mig -o asg-tags --check single.yaml": {
        f"{TAG}/resources/nvidia.com/gpu": "28",
        f"{TAG}/label/nvidia.com/mig.config": "all-1g.10gb",
    },
    "mig --to nvidia-mig -o cluster-api --check nvidia-mig.h100.yaml": {
        f"{ANNOTATION}/gpu-type": "nvidia.com/mig-1g.10gb",
        f"{ANNOTATION}/gpu-count": "28",
        f"{ANNOTATION}/labels": "nvidia.com/mig.config=all-1g.10gb",
    },
    "whole --to dra-nvidia -o cluster-api --check dra-nvidia.h100.yaml": {
        f"{ANNOTATION}/dra-driver": "gpu.nvidia.com",
        f"{ANNOTATION}/gpu-count": "4",
    },
}


@pytest.mark.parametrize("command", SCALED)
def test_nodes_that_an_autoscaler_misreads(run: Run, command: str) -> None:
    code, out, err = run(command.replace(" ", ".yaml ", 1))
    assert (code, err, yaml.safe_load(out)) == (0, "", SCALED[command])


COMPUTE_CLASS = {  # Google Cloud, ComputeClass; kcl-lang/modules, pull request 358
    "type": "object",
    "additionalProperties": False,
    "required": ["apiVersion", "kind", "metadata", "spec"],
    "properties": {
        "apiVersion": {"const": "cloud.google.com/v1"},
        "kind": {"const": "ComputeClass"},
        "metadata": {"properties": {"name": {"pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"}}},
        "spec": {
            "additionalProperties": False,
            "required": ["nodePoolAutoCreation", "priorities", "whenUnsatisfiable"],
            "properties": {
                "nodePoolAutoCreation": {"const": {"enabled": True}},
                "whenUnsatisfiable": {"enum": ["ScaleUpAnyway", "DoNotScaleUp"]},
                "priorities": {
                    "items": {
                        "additionalProperties": False,
                        "properties": {
                            "gpu": {
                                "additionalProperties": False,
                                "required": ["type", "count"],
                                "properties": {
                                    "type": {"type": "string"},
                                    "count": {"type": "integer", "minimum": 1},
                                    "gpuSharing": {
                                        "additionalProperties": False,
                                        "properties": {
                                            "sharingStrategy": {"enum": ["TIME_SHARING", "MPS"]},
                                            "maxSharedClientsPerGPU": {"minimum": 2, "maximum": 48},
                                            "gpuPartitionSize": {"type": "string"},
                                        },
                                        "dependentRequired": {"sharingStrategy": ["maxSharedClientsPerGPU"]},
                                    },
                                },
                            }
                        },
                    }
                },
            },
        },
    },
}


@pytest.mark.parametrize(
    ("command", "gpu"),
    [
        (
            "mps.yaml",
            {
                "type": "nvidia-l4",
                "count": 1,
                "gpuSharing": {"sharingStrategy": "MPS", "maxSharedClientsPerGPU": 4},
            },
        ),
        (
            "mig.yaml --check gke.h100.yaml",
            {"type": "nvidia-h100-80gb", "count": 4, "gpuSharing": {"gpuPartitionSize": "1g.10gb"}},
        ),
        ("whole.yaml --check gke.h100.yaml", {"type": "nvidia-h100-80gb", "count": 4}),
    ],
)
def test_a_compute_class(run: Run, command: str, gpu: dict[str, object]) -> None:
    code, out, _ = run(f"{command} --to gke -o yaml")
    document = yaml.safe_load(out)
    assert list(Draft202012Validator(COMPUTE_CLASS).iter_errors(document)) == []
    assert (code, document["spec"]["priorities"]) == (0, [{"gpu": gpu}])
    text = "".join(run(f"{command} --to gke")[1].split())
    assert f"compute-class={document['metadata']['name']}" in text


def test_a_compute_class_is_of_one_card_model(run: Run) -> None:
    code, out, err = run("mig.yaml --to gke -o yaml")
    assert (code, out, err) == (0, "", "gke has no documents to apply: see -o text\n")
    assert "name the card in device.models" in run("mig.yaml --to gke")[1]


@pytest.mark.parametrize(
    ("command", "first"),
    [
        (
            "memory.yaml --to dra-hami -o cluster-api --check dra-hami.h100.yaml",
            "error: the annotations of Cluster API have no parts of devices: bert requests one",
        ),
        (
            "part.yaml --to vke -o cluster-api --check ten.yaml",
            "error: the annotations of Cluster API have one resource; nodes have ",
        ),
        (
            "slice.yaml --to nvidia-shared -o karpenter --instance-type g6 --check same-name.yaml",
            "error: Karpenter takes nvidia.com/gpu from the type of the machine",
        ),
        (
            "some.yaml --to nvidia-shared -o asg-tags --check nvidia-shared.h100.yaml",
            "error: what nodes of nvidia-shared have allocatable for bert is not known",
        ),
        (
            "memory.yaml --to dra-hami -o asg-tags",
            "error: no document says what nodes of dra-hami have allocatable",
        ),
    ],
)
def test_no_document_is_a_guess(run: Run, command: str, first: str) -> None:
    code, out, err = run(command)
    assert (code, out) == (2, "")
    assert err.startswith(first)
