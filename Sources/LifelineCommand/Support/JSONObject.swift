import ConnectionEngine
import PusherProtocol
import WireCoding

/// Builds a JSON object on one line. The keys have the order in which they are put.
struct JSONObject {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    private mutating func key(_ key: StaticString) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        bytes.append(contentsOf: [UInt8(ascii: "\""), UInt8(ascii: ":")])
    }

    mutating func put(_ name: StaticString, _ value: String?) {
        key(name)
        if let value { JSONWriter.appendString(value, to: &bytes) } else { bytes.append(contentsOf: "null".utf8) }
    }

    mutating func put(_ name: StaticString, _ value: Int?) {
        key(name)
        bytes.append(contentsOf: (value.map(String.init) ?? "null").utf8)
    }

    mutating func put(_ name: StaticString, _ value: Bool) {
        key(name)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Puts a time as a number of seconds with six decimals.
    mutating func put(_ name: StaticString, _ moment: Moment) {
        key(name)
        bytes.append(contentsOf: Seconds.text(nanoseconds: moment.nanoseconds, digits: 6).utf8)
    }

    /// Puts a duration as a number of seconds with three decimals; nil as `null`.
    mutating func put(_ name: StaticString, _ duration: Duration?) {
        key(name)
        bytes.append(
            contentsOf: (duration.map { Seconds.text(nanoseconds: $0.clampedNanoseconds, digits: 3) } ?? "null").utf8)
    }

    /// Puts a value that is already JSON text. Line breaks are removed; in valid JSON they occur only between tokens.
    mutating func put(_ name: StaticString, json: String) {
        key(name)
        bytes.append(contentsOf: json.utf8.lazy.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
    }

    /// The text of the object, without a line break.
    var text: String {
        String(decoding: bytes + [UInt8(ascii: "}")], as: UTF8.self)
    }
}

/// Formats seconds with a fixed number of decimals. Further decimals are cut off, not rounded.
enum Seconds {
    static func text(nanoseconds: Int64, digits: Int) -> String {
        let sign = nanoseconds < 0 ? "-" : ""
        let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        let fraction = String(rest)
        let padded = String(repeating: "0", count: 9 - fraction.count) + fraction
        return "\(sign)\(whole).\(padded.prefix(digits))"
    }

    static func text(_ duration: Duration, digits: Int = 2) -> String {
        text(nanoseconds: duration.clampedNanoseconds, digits: digits)
    }
}
