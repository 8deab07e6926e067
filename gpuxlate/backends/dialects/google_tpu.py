"""Google TPUs on GKE, counted in chips. Which chips, nodes say: pods choose them by labels."""

from gpuxlate.backends import target as t

_LABELS = {"accelerator": "TPU version", "topology": "arrangement of the chips of a slice"}


class GoogleTpu(t.Backend):
    """TPU chips, counted whole; labels choose the nodes that have them (TPU)."""

    title = "Google TPUs on GKE"
    aliases = ("tpu",)
    vendor = "google"
    names_vendor = True
    documents = {
        "TPU": 'Google Cloud, "Deploy TPU workloads in GKE" (2026-07)',
        "SAMPLES": "GoogleCloudPlatform/kubernetes-engine-samples, ai-ml/gke-ray (2026-07-30)",
    }
    keys = (
        t.cards("google.com/tpu", meaning="chips", source="TPU, SAMPLES"),
        *(
            t.choice(
                f"cloud.google.com/gke-tpu-{name}",
                *(t.Place.NODE_SELECTOR, t.Place.NODE),
                meaning=meaning,
                general=True,
                source="TPU, SAMPLES",
            )
            for name, meaning in _LABELS.items()
        ),
    )
