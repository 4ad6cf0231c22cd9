import Testing
import WireCoding

@Suite("Repairing JSON (rules PN-40 to PN-42)")
struct JSONRepairTests {
    static func repair(_ bytes: [UInt8], _ lists: [[String]], keys: [String] = []) -> (text: String, count: Int)? {
        var plan = JSONRepair.Plan()
        for path in lists {
            var list = JSONRepair.List(elementKeys: keys)
            list.path = path
            plan.lists.append(list)
        }
        return bytes.withUnsafeBytes { JSONRepair($0, plan) }.map {
            (String(decoding: $0.bytes, as: UTF8.self), $0.replacedCount)
        }
    }

    static func repair(_ text: String, _ lists: [[String]], keys: [String] = []) -> String? {
        repair(Array(text.utf8), lists, keys: keys)?.text
    }

    @Test("What is JSON stays as it is, to the byte")
    func whole() {
        for text in [#" {"a" : [1, {"b": "\u00e9"}]} "#, "[]", "1", #""é""#] { #expect(Self.repair(text, [["a"]]) == text) }
    }

    @Test("Bytes that are not UTF-8 are left out")
    func invalidBytes() {
        #expect(Self.repair(Array(#"{"a":["x"#.utf8) + [0xFF, 0xC3] + Array(#"y"]}"#.utf8), [])?.text == #"{"a":["xy"]}"#)
        #expect(Self.repair(Array(#""é"#.utf8) + [0xE2, 0x82] + Array(#"é""#.utf8), [])?.text == #""éé""#)
    }

    @Test("An element of a list is replaced as a whole; lists inside of it are not looked at")
    func elements() {
        #expect(Self.repair(#"{"m":[{"x":[1,\q]},2]}"#, [["m"]]) == #"{"m":[null,2]}"#)
        #expect(Self.repair(#"{"m":[1,,2,]}"#, [["m"]]) == #"{"m":[1,null,2,null]}"#)
        #expect(
            Self.repair(#"{"c":{"a":[1,tru],"b":[{"x":01},3]},"n":1}"#, [["c", "*"]])
                == #"{"c":{"a":[1,null],"b":[null,3]},"n":1}"#)
        #expect(Self.repair(#"[[1,+2,3],0,0]"#, [["*"]]) == "[[1,null,3],0,0]")
    }

    @Test("A member outside of the lists is replaced as a whole")
    func members() {
        #expect(Self.repair(#"{"e":{"x":{"y":\q}},"m":[1]}"#, [["m"]]) == #"{"e":null,"m":[1]}"#)
        #expect(Self.repair(#"{"e":{"x":[1,\q]},"m":[1]}"#, [["m"]]) == #"{"e":null,"m":[1]}"#)
        #expect(Self.repair(#"{"e":{"x":[1},"m":[1]}"#, [["m"]]) == #"{"e":null,"m":[1]}"#)
        #expect(Self.repair(#"{"m":[1],"e":{"x":[1}}"#, [["m"]]) == #"{"m":[1],"e":null}"#)
    }

    @Test("Behind brackets or quotation marks that do not match the next whole element is found")
    func boundaries() {
        let lists = [["m"]]
        #expect(Self.repair(#"{"m":[{"k":1},{"k":[2},{"k":3}],"n":4}"#, lists) == #"{"m":[{"k":1},null,{"k":3}],"n":4}"#)
        #expect(Self.repair(#"{"m":[{"k":"a},{"k":3}],"n":4}"#, lists) == #"{"m":[null,{"k":3}],"n":4}"#)
        #expect(Self.repair(#"{"m":[{"k":1},{"k":[2}],"n":4}"#, lists) == #"{"m":[{"k":1},null],"n":4}"#)
        // What looks like the end of the list inside the damaged element.
        #expect(Self.repair(#"{"m":[{"k":1},{"k":2}]}},{"k":3}]}"#, lists) == #"{"m":[{"k":1},{"k":2},null,{"k":3}]}"#)
        #expect(Self.repair(#"{"m":[]"k":2},{"k":3}],"n":4}"#, lists) == #"{"m":[null,null,{"k":3}],"n":4}"#)
        // Objects inside the damaged element lack a key that each element has.
        let inner = #"{"m":[{"k":[{"x":1},{"x":2}},{"k":3}]}"#
        #expect(Self.repair(inner, lists, keys: ["k"]) == #"{"m":[null,{"k":3}]}"#)
    }

    @Test(
        "What is cut off, or is damaged around the lists, is not repaired",
        arguments: [
            "", "{", #"{"m":["#, #"{"m":[1,"#, #"{"m":[\q,1"#, #"{"m":[\q,1]"#, #"{"m":[\q,"abc"#, #"{"m":[1],x}"#,
            #"{"m":[1]} x"#,
            #"{"m":[1]}}"#, "]", #"{"m":[{"k":[},"#,
        ])
    func notRepaired(_ text: String) {
        #expect(Self.repair(text, [["m"]]) == nil)
    }

    @Test("The replacement sees the damaged element")
    func replacement() {
        let plan = JSONRepair.Plan(.init("m")) { [UInt8(ascii: "\"")] + Array($0).filter { $0 >= 0x61 } + [UInt8(ascii: "\"")] }
        let repaired = Array(#"{"m":[1,{a b:c},2]}"#.utf8).withUnsafeBytes { JSONRepair($0, plan) }
        #expect(repaired.map { String(decoding: $0.bytes, as: UTF8.self) } == #"{"m":[1,"{abc}",2]}"#)
        #expect(repaired?.replacedCount == 1)
    }
}
