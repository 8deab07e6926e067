"""AWS Neuron: devices of Inferentia and Trainium instances. Its cores are not the same part of each."""

from gpuxlate.backends import target as t

NEURON = t.Component("neuron", "AWS Neuron")


class AwsNeuron(t.Backend):
    """Neuron devices, counted whole; the cores of a device are a key that is not read (PLUGIN, CORES)."""

    title = "AWS Neuron"
    aliases = ("neuron",)
    vendor = "aws"
    names_vendor = True
    components = (NEURON,)
    documents = {
        "PLUGIN": "aws-neuron/aws-neuron-sdk, deploy/includes/k8s-neuron-device-plugin.rst (2026-08-21)",
        "CORES": "aws-neuron/aws-neuron-sdk, deploy/tutorials/build-run-container.rst (2026-08-21)",
        "OLD": "aws-neuron/aws-neuron-sdk, announce-no-support-device-version.rst (2026-08-21)",
    }
    gpu_prefixes = ("aws.amazon.com/neuron",)
    keys = (
        t.cards("aws.amazon.com/neuron", source="PLUGIN"),
        t.whole("aws.amazon.com/neurondevice", component=NEURON, source="OLD"),
        t.unread(
            "aws.amazon.com/neuroncore",
            "cores of a device, whose number the type of the instance decides",
            source="PLUGIN, CORES",
        ),
    )
