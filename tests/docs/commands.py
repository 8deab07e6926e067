"""Every command that a page shows in an ``sh`` block: the test that runs it, or why none does.

What stands behind ``$`` in ``console`` blocks is not listed: ``make docs`` runs it, and
``tests/e2e/test_pages.py`` what needs a cluster.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class By:
    """A test runs it: ``file::name``, below ``tests``."""

    test: str


@dataclass(frozen=True)
class Make:
    """A target of the Makefile. That it is there is tested here; ``runs`` is who runs it."""

    runs: str


@dataclass(frozen=True)
class OwnTests:
    """It runs tests of this repository. That they are there is tested here."""


@dataclass(frozen=True)
class Not:
    """Nothing here runs it."""

    reason: str


How = By | Make | OwnTests | Not

HERE = "docs/test_commands.py"
HELM = "no registry carries the program of Helm 4; contrib/test_helm.py runs the plug-in with its library"
VALUES = "contrib/test_helm.py::test_translated_values_render_what_the_post_renderer_gives"
MINUTES = "a benchmark takes minutes and says nothing true on a busy machine; make bench runs it"
CI = ".ci/run"
TOOLS = "what they install is the same wheel; packaging/test_dist.py installs it"

PYTEST = ".venv/bin/python -m pytest"

COMMANDS: dict[str, dict[str, How]] = {
    "README.md": {
        "pipx install .": Not(TOOLS),
        "uv tool install .": Not(TOOLS),
        "python3 -m venv .venv && .venv/bin/pip install .": By(
            "packaging/test_dist.py::test_what_is_published"
        ),
        "gpuxlate inspect": By("cli/test_guesses.py::test_a_guess"),
        "gpuxlate lint": By("cli/test_guesses.py::test_a_guess"),
        "make demo": By(f"{HERE}::test_the_demo"),
        "make test": Make(CI),
    },
    "CONTRIBUTING.md": {
        "make test": Make(CI),
        "make lint": Make(f"{CI}, its commands one by one"),
        "make docs": Make("docs/test_pages.py, with --check"),
        "make site": Make(CI),
        "make schemas": Make("spec/test_schemas.py compares what it would write"),
        "make messages": Make("hatch_build.py does the same for every installation"),
        "make e2e": Make(CI),
        "make bench": Make("nobody: it takes minutes"),
        "make lock": Make("nobody: it takes what is newest today"),
        "make audit": Make(CI),
        "make fuzz": Make("nobody: it takes an hour"),
        f"GPUXLATE_EFFORT=full {PYTEST} tests/pairs": OwnTests(),
        f"{PYTEST} tests/backends tests/lint/test_cases.py tests/rules/test_examples.py "
        "tests/docs": OwnTests(),
        f"{PYTEST} tests/conformance tests/fixtures tests/lint/test_cases.py tests/spec "
        "tests/docs": OwnTests(),
        f"{PYTEST} tests/manifest": OwnTests(),
        f"{PYTEST} tests/report tests/lint/test_cli_lint.py": OwnTests(),
        f"{PYTEST} tests/backends tests/pairs tests/nodepool tests/lint/test_cases.py "
        "tests/rules/test_examples.py": OwnTests(),
        ".venv/bin/python -m tests.e2e.pages": By("e2e/test_pages.py::test_a_page_is_current"),
    },
    "docs/commit-hook.md": {
        "pre-commit install": By(f"{HERE}::test_pre_commit_installs_itself"),
        "git diff --cached --name-only --diff-filter=ACM -z -- '*.yaml' '*.yml' '*.json' | "
        "xargs -0 -r gpuxlate lint --allow-empty": By(f"{HERE}::test_the_hook_without_pre_commit"),
        "pre-commit run --all-files gpuxlate-lint": By("lint/test_pre_commit.py::test_the_hooks"),
        "gpuxlate lint .": By(f"{HERE}::test_a_whole_repository"),
    },
    "docs/editors.md": {
        "pip install '.[editor]'": Not("it fetches pygls, which the tests of the server have: tests/editor"),
        "gpuxlate --install-completion": By("cli/test_completion.py::test_installing"),
        "gpuxlate completion zsh": By("cli/test_completion.py::test_the_scripts"),
    },
    "docs/krm.md": {
        r"printf '#!/bin/sh\nexec gpuxlate krm\n' > gpuxlate-krm && chmod +x gpuxlate-krm": By(
            f"{HERE}::test_the_script_for_kpt"
        ),
        "kpt fn eval DIR --exec ./gpuxlate-krm --fn-config translate.yaml": By(
            "krm/test_runners.py::test_kpt_changes_gpu_lines_alone"
        ),
        "kpt fn eval DIR --exec ./gpuxlate-krm -- to=tencent-qgpu round=up": By(
            "krm/test_runners.py::test_kpt_takes_the_configuration_from_its_arguments"
        ),
        "kustomize build . --enable-alpha-plugins --enable-exec": By(
            "krm/test_runners.py::test_kustomize_runs_the_function"
        ),
        "plugin=$KUSTOMIZE_PLUGIN_HOME/gpuxlate.io/v1alpha1/translate/Translate": By(
            f"{HERE}::test_the_script_for_kubectl_kustomize"
        ),
        'mkdir -p "$(dirname "$plugin")"': By(f"{HERE}::test_the_script_for_kubectl_kustomize"),
        r"printf '#!/bin/sh\nexec gpuxlate krm "
        r'''"$1"\n' > "$plugin" && chmod +x "$plugin"''': By(
            f"{HERE}::test_the_script_for_kubectl_kustomize"
        ),
        "kubectl kustomize . --enable-alpha-plugins": By(
            "krm/test_runners.py::test_kubectl_runs_the_plug_in"
        ),
    },
    "docs/kubectl.md": {
        "pip install '.[cluster]'": Not("it fetches the Kubernetes client; make e2e installs the same extra"),
        "kubectl plugin list": By(f"{HERE}::test_kubectl_sees_the_plug_in"),
    },
    "docs/performance.md": {
        "python -m bench": Not(MINUTES),
        "python -m bench.growth": Not(MINUTES),
        "python -m bench.structure": Not("it only prints counts; nothing depends on them"),
    },
    "docs/charts.md": {
        "helm template web ./chart | gpuxlate translate - --to tencent-qgpu --check": By(
            "contrib/test_helm.py::test_what_helm_template_prints"
        ),
    },
    "docs/pipelines.md": {
        "gpuxlate translate chart --to tencent-qgpu --diff": By(VALUES),
        "gpuxlate translate chart --to tencent-qgpu -i": By(VALUES),
        "helm template web ./chart | gpuxlate translate - --to tencent-qgpu --check": By(
            "contrib/test_helm.py::test_what_helm_template_prints"
        ),
        "helm template web ./chart | gpuxlate translate - --to tencent-qgpu > web.yaml": By(
            "contrib/test_helm.py::test_what_helm_template_prints"
        ),
        "helm upgrade --install web ./chart --post-renderer gpuxlate-post-renderer "
        "--post-renderer-args --to=tencent-qgpu --post-renderer-args --round=up": By(
            "e2e/test_helm.py::test_a_release"
        ),
        "helm plugin install contrib/helm-plugin": Not(HELM),
        "helm upgrade --install web ./chart --post-renderer gpuxlate "
        "--post-renderer-args --to=tencent-qgpu": Not(HELM),
    },
    "docs/dra.md": {
        "gpuxlate translate examples/claims/deployment.yaml --to dra-hami | gpuxlate translate - --to hami "
        "| cmp - examples/claims/deployment.yaml": By("claims/test_translated.py::test_the_example"),
    },
    "docs/policy.md": {
        "gpuxlate policy --to tke | kubectl apply -f -": By(
            "e2e/test_policy.py::test_the_server_takes_every_policy"
        ),
        "gpuxlate policy --forbid alibaba-gpushare | kubectl apply -f -": By(
            "e2e/test_policy.py::test_the_server_takes_every_policy"
        ),
        "gpuxlate policy --translate --to tke | kubectl apply -f -": By(
            "e2e/test_policy.py::test_the_server_stores_what_translate_writes"
        ),
        "gpuxlate policy --translate --to tke --explain": By(
            "policy/test_translating.py::test_explain_lists_the_shapes"
        ),
    },
    "docs/lint.md": {
        "gpuxlate lint --watch": By("cli/test_watch.py::test_what_changed_is_checked_again_until_ctrl_c"),
    },
    "docs/start.md": {
        "python3 -m venv .venv && . .venv/bin/activate": By("packaging/test_dist.py::test_what_is_published"),
        "pip install .": By("packaging/test_dist.py::test_what_is_published"),
    },
    "docs/writing-a-target.md": {
        "pip install ./examples/plugin": By("plugins/test_tutorial.py::fresh"),
        "pytest examples/plugin/tests": By("plugins/test_tutorial.py::test_the_contract_holds"),
        "gpuxlate render share.yaml --to kestrel": By("plugins/test_tutorial.py::test_it_is_a_target"),
        "gpuxlate translate deploy.yaml --to vke": By(
            "plugins/test_tutorial.py::test_its_dialect_is_found_by_its_keys"
        ),
        "gpuxlate lint deploy.yaml": By("plugins/test_tutorial.py::test_its_dialect_is_found_by_its_keys"),
        "gpuxlate explain KES001": By("plugins/test_tutorial.py::test_its_dialect_is_found_by_its_keys"),
    },
}
"""By page, as the page shows it, without comments."""
