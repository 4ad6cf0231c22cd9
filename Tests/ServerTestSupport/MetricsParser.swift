/// Reads the text format of Prometheus more strictly than Prometheus does: whatever the format does not promise is an error.
struct MetricsParser {
    struct Sample: Hashable {
        var name: String
        var labels: [String: String]
        var value: Double
    }

    struct Family {
        var type: String
        var samples: [Sample] = []
    }

    struct Malformed: Error, CustomStringConvertible {
        var description: String
    }

    private(set) var families: [String: Family] = [:]

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Malformed(description: "the last line has no end") }
        var current: String?
        var helped: Set<String> = []
        var seen: Set<Sample> = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line.hasPrefix("# HELP ") {
                let parts = line.dropFirst(7).split(separator: " ", maxSplits: 1)
                guard parts.count == 2, Self.isName(parts[0]), helped.insert(String(parts[0])).inserted else {
                    throw Malformed(description: "help: \(line)")
                }
                current = nil
            } else if line.hasPrefix("# TYPE ") {
                let parts = line.dropFirst(7).split(separator: " ").map(String.init)
                guard parts.count == 2, helped.contains(parts[0]), families[parts[0]] == nil,
                    ["counter", "gauge", "histogram"].contains(parts[1])
                else { throw Malformed(description: "type: \(line)") }
                families[parts[0]] = Family(type: parts[1])
                current = parts[0]
            } else {
                guard let current else { throw Malformed(description: "outside a family: \(line)") }
                let sample = try Self.sample(line)
                let isOwn =
                    families[current]?.type == "histogram"
                    ? ["_bucket", "_sum", "_count"].contains { sample.name == current + $0 } : sample.name == current
                let key = Sample(name: sample.name, labels: sample.labels, value: 0)
                guard isOwn, seen.insert(key).inserted else { throw Malformed(description: "twice or stray: \(line)") }
                families[current]?.samples.append(sample)
            }
        }
        try check()
    }

    /// The value of one sample.
    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        families.values.lazy.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
    }

    private static func sample(_ line: Substring) throws -> Sample {
        var rest = line
        let name = rest.prefix { $0 != "{" && $0 != " " }
        rest = rest.dropFirst(name.count)
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest = rest.dropFirst()
            while rest.first != "}" {
                let key = rest.prefix { $0 != "=" }
                rest = rest.dropFirst(key.count)
                guard isName(key), rest.hasPrefix("=\""), labels[String(key)] == nil else {
                    throw Malformed(description: "label: \(line)")
                }
                rest = rest.dropFirst(2)
                labels[String(key)] = try value(&rest, line)
                if rest.first == "," {
                    rest = rest.dropFirst()
                } else if rest.first != "}" {
                    throw Malformed(description: "\(line)")
                }
            }
            rest = rest.dropFirst()
        }
        guard isName(name), rest.first == " ", let value = Double(rest.dropFirst()), value >= 0 else {
            throw Malformed(description: "sample: \(line)")
        }
        return Sample(name: String(name), labels: labels, value: value)
    }

    /// A label's value up to its closing quote.
    private static func value(_ rest: inout Substring, _ line: Substring) throws -> String {
        var value = ""
        while let character = rest.popFirst(), character != "\"" {
            guard character == "\\" else {
                value.append(character)
                continue
            }
            switch rest.popFirst() {
            case "\\": value.append("\\")
            case "\"": value.append("\"")
            case "n": value.append("\n")
            default: throw Malformed(description: "escape: \(line)")
            }
        }
        return value
    }

    private static func isName(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
        return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    /// What holds between samples.
    private func check() throws {
        for (name, family) in families {
            guard name.hasPrefix("lifeline_"), !family.samples.isEmpty else { throw Malformed(description: "family: \(name)") }
            guard (family.type == "counter") == name.hasSuffix("_total") else { throw Malformed(description: "name: \(name)") }
            guard Set(family.samples.filter { !$0.name.hasSuffix("_bucket") }.map { Set($0.labels.keys) }).count == 1 else {
                throw Malformed(description: "labels differ: \(name)")
            }
            guard family.type == "histogram" else { continue }
            // One histogram for each set of labels beside the bound.
            let histograms = Dictionary(grouping: family.samples) { $0.labels.filter { $0.key != "le" } }
            for (labels, samples) in histograms {
                let buckets = samples.filter { $0.name == name + "_bucket" }
                let bounds = buckets.compactMap { Double($0.labels["le"] ?? "") }
                guard bounds == bounds.sorted(), bounds.last == .infinity, buckets.map(\.value) == buckets.map(\.value).sorted(),
                    buckets.last?.value == value(name + "_count", labels), value(name + "_sum", labels) != nil
                else { throw Malformed(description: "histogram: \(name)") }
            }
        }
    }
}
