import WireCoding

/// Writes JSON piece by piece.
struct JSONBuilder {
    private(set) var bytes: [UInt8] = []
    private var isFirst = true

    mutating func object(_ name: String? = nil, _ body: (inout JSONBuilder) -> Void) { inside(name, "{", "}", body) }

    mutating func array(_ name: String, _ body: (inout JSONBuilder) -> Void) { inside(name, "[", "]", body) }

    mutating func text(_ name: String, _ value: String) {
        begin(name)
        JSONWriter.appendString(value, to: &bytes)
    }

    mutating func number(_ name: String, _ value: Int) {
        begin(name)
        bytes += String(value).utf8
    }

    mutating func truth(_ name: String, _ value: Bool) {
        begin(name)
        bytes += (value ? "true" : "false").utf8
    }

    private mutating func begin(_ name: String?) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        guard let name else { return }
        JSONWriter.appendString(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func inside(_ name: String?, _ open: String, _ close: String, _ body: (inout JSONBuilder) -> Void) {
        begin(name)
        bytes += open.utf8
        isFirst = true
        body(&self)
        bytes += close.utf8
        isFirst = false
    }
}
