/// Writes the text format of Prometheus, version 0.0.4.
package struct PrometheusText {
    package enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    package typealias Labels = KeyValuePairs<String, String>

    private struct Family {
        let kind: Kind
        let help: String
        var samples: Samples
    }

    /// The metric families in the order in which they were added; there are about fifty.
    private var families: [Family] = []

    package init() {}

    /// The text of all metric families that have samples.
    package var text: String {
        families.reduce(into: "") { text, family in
            guard !family.samples.text.isEmpty else { return }
            let name = family.samples.name
            text += "# HELP \(name) \(family.help)\n# TYPE \(name) \(family.kind.rawValue)\n\(family.samples.text)"
        }
    }

    /// Adds samples to a metric family, which is created if necessary. Every name gets the prefix `lifeline_`.
    ///
    /// Several services may add samples to one family, because the format requires all samples of a family to be together.
    package mutating func family(_ name: String, _ kind: Kind, help: String, _ samples: (inout Samples) -> Void) {
        let name = "lifeline_" + name
        let index = families.firstIndex { $0.samples.name == name } ?? families.count
        if index == families.count { families.append(Family(kind: kind, help: help, samples: Samples(name: name))) }
        samples(&families[index].samples)
    }

    /// Adds a family with one sample for each application of a service. A missing count is written as zero, so that a rate can be computed
    /// from the first count on.
    ///
    /// - Parameter names: the names of all applications, indexed by ``MetricSlot``.
    package mutating func family(
        _ name: String, _ kind: Kind, help: String, of service: ServiceName, _ names: [ApplicationName],
        _ value: (MetricSlot) -> Int
    ) {
        family(name, kind, help: help) { samples in
            for (index, name) in names.enumerated() where name.service == service {
                samples.add(value(MetricSlot(index: index)), name.labels)
            }
        }
    }

    /// Adds the families with the delivery counts of webhooks, by application and receiver.
    package mutating func webhooks(_ counts: [WebhookReport.Name: WebhookDelivery.Counts]) {
        let families: [(String, Kind, String, KeyPath<WebhookDelivery.Counts, Int>)] = [
            ("webhook_events_total", .counter, "Webhook events delivered.", \.delivered),
            ("webhook_events_dropped_total", .counter, "Webhook events that were dropped without delivery.", \.dropped),
            (
                "webhook_events_unkept_total", .counter,
                "Webhook events that were not stored, because the storage limit was reached; they are lost if the leader ends.",
                \.unkept
            ),
            ("webhook_requests_failed_total", .counter, "Webhook requests that failed; most are sent again.", \.failedRequests),
            ("webhook_events_queued", .gauge, "Webhook events that wait for delivery.", \.queued),
        ]
        let sorted = counts.sorted {
            ($0.key.application.application, $0.key.number) < ($1.key.application.application, $1.key.number)
        }
        family(
            "webhook_request_seconds", .histogram, help: "Time from the sending of a webhook request to its answer or failure."
        ) { samples in
            for (name, counts) in sorted { samples.add(counts.times, name.labels) }
        }
        for (name, kind, help, path) in families {
            family(name, kind, help: help) { samples in
                for (name, counts) in sorted { samples.add(counts[keyPath: path], name.labels) }
            }
        }
    }

    /// Adds a metric family with one sample without labels. Does nothing when `value` is nil.
    package mutating func value(_ name: String, _ kind: Kind, help: String, _ value: Int?) {
        family(name, kind, help: help) { samples in
            if let value { samples.add(value) }
        }
    }

    /// Adds a metric family with one histogram without labels.
    package mutating func histogram(_ name: String, help: String, _ histogram: LatencyHistogram) {
        family(name, .histogram, help: help) { $0.add(histogram) }
    }

    package struct Samples {
        package let name: String
        package fileprivate(set) var text = ""

        package mutating func add(_ value: Int, suffix: String = "", _ labels: Labels = [:]) {
            add(String(value), suffix: suffix, labels)
        }

        /// - Parameter value: a number in the format of Prometheus.
        package mutating func add(_ value: String, suffix: String = "", _ labels: Labels) {
            add(value, suffix: suffix, pairs: Self.pairs(labels))
        }

        /// Adds a histogram: cumulative buckets, the sum, and the number of observations.
        package mutating func add(_ histogram: LatencyHistogram, _ labels: Labels = [:]) {
            let pairs = Self.pairs(labels)
            var total = 0
            for (bound, count) in zip(LatencyHistogram.bounds, histogram.counts) {
                total += count
                add(String(total), suffix: "_bucket", pairs: pairs + [#"le="\#(bound.label)""#])
            }
            add(String(histogram.count), suffix: "_bucket", pairs: pairs + [#"le="+Inf""#])
            add(PrometheusText.seconds(histogram.nanoseconds), suffix: "_sum", pairs: pairs)
            add(String(histogram.count), suffix: "_count", pairs: pairs)
        }

        private static func pairs(_ labels: Labels) -> [String] {
            labels.map { #"\#($0.key)="\#(PrometheusText.escaped($0.value))""# }
        }

        private mutating func add(_ value: String, suffix: String, pairs: [String]) {
            text += name + suffix
            if !pairs.isEmpty { text += "{" + pairs.joined(separator: ",") + "}" }
            text += " \(value)\n"
        }
    }

    package static func seconds(_ nanoseconds: Int64) -> String {
        let fraction = String(abs(nanoseconds) % 1_000_000_000)
        let sign = nanoseconds < 0 ? "-" : ""
        return "\(sign)\(abs(nanoseconds) / 1_000_000_000).\(String(repeating: "0", count: 9 - fraction.count))\(fraction)"
    }

    /// Escapes backslashes, quotation marks and line breaks, which a label's value must not contain.
    package static func escaped(_ value: String) -> String {
        var out = ""
        for character in value.unicodeScalars {
            switch character {
            case "\\": out += #"\\"#
            case "\"": out += #"\""#
            case "\n": out += #"\n"#
            default: out.unicodeScalars.append(character)
            }
        }
        return out
    }
}

extension ApplicationName {
    package var labels: PrometheusText.Labels { ["service": service.rawValue, "app": application.text] }
}
