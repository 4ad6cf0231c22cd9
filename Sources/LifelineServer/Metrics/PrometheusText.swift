/// Writes the text format of Prometheus, version 0.0.4.
struct PrometheusText {
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    typealias Labels = KeyValuePairs<String, String>

    private(set) var text = ""

    /// Opens a family of samples. Every name gets the prefix `lifeline_`.
    mutating func family(_ name: String, _ kind: Kind, _ help: String, _ samples: (inout Samples) -> Void) {
        var lines = Samples(name: "lifeline_" + name)
        samples(&lines)
        guard !lines.text.isEmpty else { return }
        text += "# HELP \(lines.name) \(help)\n# TYPE \(lines.name) \(kind.rawValue)\n"
        text += lines.text
    }

    /// A family of one sample without labels; left out when there is no value.
    mutating func value(_ name: String, _ kind: Kind, _ help: String, _ value: Int?) {
        family(name, kind, help) { samples in
            if let value { samples.add(value) }
        }
    }

    /// A whole histogram without labels.
    mutating func histogram(_ name: String, _ help: String, _ histogram: LatencyHistogram) {
        family(name, .histogram, help) { samples in
            var total = 0
            for (bound, count) in zip(LatencyHistogram.bounds, histogram.counts) {
                total += count
                samples.add(total, suffix: "_bucket", ["le": bound.label])
            }
            samples.add(histogram.count, suffix: "_bucket", ["le": "+Inf"])
            samples.add(Self.seconds(histogram.nanoseconds), suffix: "_sum", [:])
            samples.add(histogram.count, suffix: "_count")
        }
    }

    struct Samples {
        let name: String
        fileprivate(set) var text = ""

        mutating func add(_ value: Int, suffix: String = "", _ labels: Labels = [:]) {
            add(String(value), suffix: suffix, labels)
        }

        /// - Parameter value: a number as the format spells it.
        mutating func add(_ value: String, suffix: String = "", _ labels: Labels) {
            text += name + suffix
            if !labels.isEmpty {
                let pairs = labels.map { #"\#($0.key)="\#(PrometheusText.escaped($0.value))""# }
                text += "{" + pairs.joined(separator: ",") + "}"
            }
            text += " \(value)\n"
        }
    }

    static func seconds(_ nanoseconds: Int64) -> String {
        let fraction = String(abs(nanoseconds) % 1_000_000_000)
        let sign = nanoseconds < 0 ? "-" : ""
        return "\(sign)\(abs(nanoseconds) / 1_000_000_000).\(String(repeating: "0", count: 9 - fraction.count))\(fraction)"
    }

    /// What a label's value must not hold as it is.
    static func escaped(_ value: String) -> String {
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
