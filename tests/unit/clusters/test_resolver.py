from faultyard.clusters.embedded import layout, resolver


def test_the_sites_names_are_answered_where_no_template_answers_first():
    own, others = resolver.corefile([layout.NodeLayout(1)]).split("\n.:53 {")
    assert f"{layout.GATEWAY} otel.meridian.internal" in own
    assert "172.30.0.11 worker-1.meridian.internal" in own
    assert "template" not in own
    assert "NXDOMAIN" in others
