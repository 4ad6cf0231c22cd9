import Testing
import WireCoding

@testable import PusherServer

@Suite struct PublishFieldsTests {
    @Test func `SR-3: of a repeated member the last one counts that is not null, and names are compared by their bytes`() throws {
        let text = #"{"name":"a","name":"b","name":null,"e\u0301":"accent","channels":["x"],"channel":"y","data":null}"#
        let fields = try PublishFields(try JSONText(text), query: nil)
        #expect(try fields.text("name") == "b")
        #expect(try fields.text("data") == nil)
        #expect(try fields.text("e\u{301}") == "accent")
        #expect(try fields.text("\u{e9}") == nil)
        #expect(try fields.list("channels", orOne: "channel") == ["x"])
        #expect(try fields.list("info", orOne: "channel") == nil)
        #expect(try PublishFields(["name": "e", "data": "d"]).text("data") == "d")
    }
}
