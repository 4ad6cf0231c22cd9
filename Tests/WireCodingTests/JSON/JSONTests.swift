import Testing
import WireCoding

@Suite("JSON values")
struct JSONTests {
    @Test("Parts are cut out as they were written")
    func verbatim() throws {
        let text = try JSONText(#" { "b" : { "x" : 1.0 , "é":"\u00e9" } , "a" : [ 1 , [ ] , "s\n" ] , "b" : 2 } "#)
        #expect(text.kind == .object)
        #expect(text.members?.map(\.key) == ["b", "a", "b"])
        #expect(text.members?.first?.value.text == #"{ "x" : 1.0 , "é":"\u00e9" }"#)
        #expect(text["b"]?.integer == 2)
        #expect(text["a"]?.elements?.map(\.text) == ["1", "[ ]", #""s\n""#])
        #expect(text["a"]?.elements?.last?.string == "s\n")
        #expect(text["none"] == nil)
        #expect(text["a"]?["b"] == nil)
    }

    @Test("Values are read by kind only")
    func kinds() throws {
        #expect(try JSONText("true").bool == true)
        #expect(try JSONText("1").bool == nil)
        #expect(try JSONText("1e2").integer == nil)
        #expect(try JSONText("1e2").double == 100)
        #expect(try JSONText("\"1\"").integer == nil)
        #expect(try JSONText("12").identifier == "12")
        #expect(try JSONText("\"ab\"").identifier == "ab")
        #expect(try JSONText("null").isNull)
        #expect(try JSONText("null").identifier == nil)
        #expect(throws: JSONSyntaxError(.trailingBytes, at: 2)) { try JSONText("1 2") }
        #expect(throws: JSONSyntaxError(.invalidUTF8, at: 1)) { try JSONText(bytes: [0x22, 0xFF, 0x22]) }
    }

    @Test("A tree comes back as it went in, whole numbers of any size included")
    func trees() throws {
        let text = #"{"z":[1,-2.5,12345678901234567890123,true,null,"é\n\"/"],"a":{},"n":9007199254740993}"#
        let value = try JSONValue(parsing: text)
        #expect(value.text == text)
        #expect(value["n"]?.integer == 9_007_199_254_740_993)
        #expect(value["z"]?.array?.count == 6)
        let literal: JSONValue = ["a": [1, true, nil, "x"], "b": ["c": 2]]
        #expect(literal.text == #"{"a":[1,true,null,"x"],"b":{"c":2}}"#)
        #expect(try JSONValue(parsing: literal.text) == literal)
        #expect(JSONNumber(Double.infinity) == nil)
    }

    @Test("A tree that is too deep is refused")
    func depth() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(throws: Never.self) { try JSONValue(parsing: nested(128)) }
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: nested(200)) }
    }

}
