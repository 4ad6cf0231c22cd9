import ServerRuntime
import Testing

@Suite("The field traceparent (SO-97)")
struct TraceParentTests {
    static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    static let span = "00f067aa0ba902b7"

    @Test("Ids and the flag are read", arguments: [("00", false), ("01", true), ("03", true), ("fe", false)])
    func valid(flags: String, isSampled: Bool) throws {
        let parent = try #require(TraceParent("00-\(Self.trace)-\(Self.span)-\(flags)"))
        #expect(parent == TraceParent(traceID: Self.trace, spanID: Self.span, isSampled: isSampled))
        #expect(parent.text == "00-\(Self.trace)-\(Self.span)-\(isSampled ? "01" : "00")")
    }

    @Test("A later version may have more behind the flags")
    func later() {
        #expect(TraceParent("cc-\(Self.trace)-\(Self.span)-01") != nil)
        #expect(TraceParent("cc-\(Self.trace)-\(Self.span)-01-what-the-future") != nil)
        #expect(TraceParent("cc-\(Self.trace)-\(Self.span)-01.what") == nil)
    }

    @Test(
        "Everything else is ignored",
        arguments: [
            "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-0", "00-\(trace)-\(span)-01-more", "ff-\(trace)-\(span)-01",
            "00-\(trace.uppercased())-\(span)-01", "00-\(String(repeating: "0", count: 32))-\(span)-01",
            "00-\(trace)-\(String(repeating: "0", count: 16))-01", "00_\(trace)-\(span)-01", "0x-\(trace)-\(span)-01",
            "00-\(trace)-\(span)-é",
        ])
    func invalid(text: String) {
        #expect(TraceParent(text) == nil)
    }
}
