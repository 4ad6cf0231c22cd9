import Foundation
import Testing

@testable import PubNub

/// JSON text as Foundation's values (rule PK-34).
struct FoundationReaderTests {
    @Test(arguments: [
        "{}", "[]", "null", "true", "false", "0", "-0", "-1", "9223372036854775807", "-9223372036854775808",
        "18446744073709551615", "1.5", "-2.5e3", "1E-7", #""""#, #""a\n\"\u00e9\ud83d\ude00""#,
        #"{"a":[1,{"b":[]},null],"c":{"d":true}}"#, " [ 1 , 2 ] ", #"{"a":1,"a":2}"#, #"{"é":"ü"}"#,
        #"{"a":{},"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13}"#,
    ])
    func `values are those of JSONSerialization`(text: String) throws {
        let theirs = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        let ours = try #require(FoundationJSON.value(text))
        #expect([ours] as NSArray == [theirs] as NSArray)
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\"}", "{\"a\":1,}", "tru", "01", "1 2", "\"\u{1}\"", "[1 2]", "{\"a\" 1}", "nul", "-",
    ])
    func `what is no JSON is nothing`(text: String) {
        #expect(FoundationJSON.value(text) == nil)
    }

    @Test(arguments: 1...20) func `whole numbers are read whatever their length and what follows`(count: Int) throws {
        let digits = String("98765432109876543210".prefix(count))
        for behind in ["", " "] {
            let text = #"{"a":\#(digits)\#(behind),"b":[\#(digits)\#(behind)]}"#
            let theirs = try JSONSerialization.jsonObject(with: Data(text.utf8))
            #expect([try #require(FoundationJSON.value(text))] as NSArray == [theirs] as NSArray)
        }
        for behind in [".5", "e1", "E+2"] {
            let numbers = try #require(FoundationJSON.value("[\(digits)\(behind)]") as? [NSNumber])
            #expect(numbers.first?.doubleValue == Double(digits + behind))
        }
        for behind in ["x", "\"", "-", "{", "1,,"] { #expect(FoundationJSON.value("[\(digits)\(behind)]") == nil) }
    }

    @Test func `dictionaries that begin with the same room are values of their own`() throws {
        let first = try #require(FoundationJSON.value(#"{"a":1,"b":{"a":2},"c":{}}"#) as? [String: Any])
        let second = try #require(FoundationJSON.value(#"{"c":3}"#) as? [String: Any])
        #expect(first.keys.sorted() == ["a", "b", "c"] && Array(second.keys) == ["c"])
        #expect((first["b"] as? [String: Any])?["a"] as? Int == 2 && (first["c"] as? [String: Any])?.isEmpty == true)
    }

    @Test func `numbers can be read as any kind that fits`() throws {
        let object = try #require(FoundationJSON.value(#"{"whole":3,"part":3.5,"yes":true}"#) as? [String: Any])
        #expect(object["whole"] as? Int == 3 && object["whole"] as? Double == 3 && object["whole"] as? NSNumber == 3)
        #expect(object["part"] as? Double == 3.5 && object["part"] as? Int == nil)
        #expect(object["yes"] as? Bool == true)
    }

    /// Rule PK-81.
    @Test(arguments: ["1e400", "-1e400", "123456789e999999999999"])
    func `a number that no Double holds is its text, not infinity`(text: String) throws {
        let object = try #require(FoundationJSON.value(#"{"n":\#(text)}"#) as? [String: Any])
        #expect(object["n"] as? String == text)
        #expect(FoundationJSON.text(object) != nil)
    }

    @Test func `deep nesting is refused, not fatal`() {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(FoundationJSON.value(deep) == nil)
        let fair = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        #expect(FoundationJSON.value(fair) != nil)
    }

    @Test func `values become JSON text, and what is none becomes nothing`() {
        #expect(FoundationJSON.text(["a": "b/c"]) == #"{"a":"b/c"}"#)
        #expect(FoundationJSON.text("x") == #""x""#)
        #expect(FoundationJSON.text(Date()) == nil)
        #expect(FoundationJSON.text(Double.nan) == nil)
    }
}
