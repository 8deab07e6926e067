"""Rules on claims (``resource.k8s.io``) that belong to no driver."""

from gpuxlate.rules.claims.documents import pods_have_claims_of_their_own, request_has_the_form_of_its_version
from gpuxlate.rules.claims.pods import (
    IN_ANOTHER_OBJECT,
    claim_is_known,
    claims_are_used,
    name_is_free,
    names_are_followed,
    queue_counts_the_claims,
)

__all__ = [
    "IN_ANOTHER_OBJECT",
    "claim_is_known",
    "claims_are_used",
    "name_is_free",
    "names_are_followed",
    "pods_have_claims_of_their_own",
    "queue_counts_the_claims",
    "request_has_the_form_of_its_version",
]
