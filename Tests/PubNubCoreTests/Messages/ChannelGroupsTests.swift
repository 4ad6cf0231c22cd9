import Identifiers
import PubNubServer
import Testing

@Suite("Channel groups (HB-30, HB-31)")
struct ChannelGroupsTests {
    @Test("Channels are added once, in order, and a change says what is new")
    func adding() throws {
        var book = ChannelGroups()
        #expect(try book.add(["b", "a", "b"], to: "g").added == ["b", "a"])
        let again = try book.add(["a", "c"], to: "g")
        #expect(again.added == ["c"] && again.channels == ["b", "a", "c"])
        #expect(try book.add(["a"], to: "g").hasChanged == false)
        #expect(
            book.resolve(["g", "none"]) == [
                StreamGroup(name: "g", channels: ["b", "a", "c"]), StreamGroup(name: "none", channels: []),
            ])
    }

    @Test("A group goes with its last channel")
    func removing() throws {
        var book = ChannelGroups(restoring: ["g": ["a", "b"], "h": ["c"], "empty": []])
        #expect(book.names == ["g", "h"])
        #expect(try book.remove(["a", "x"], from: "g").removed == ["a"])
        #expect(try book.remove(["b"], from: "g").channels.isEmpty)
        #expect(try book.remove(["b"], from: "g").hasChanged == false)
        #expect(book.remove(group: "h").removed == ["c"])
        #expect(book.remove(group: "h").hasChanged == false)
        #expect(book.names.isEmpty)
    }

    // Proof of HB-31, HB-65, PV-180.
    @Test("Limits hold, and a refused change changes nothing")
    func limits() throws {
        var book = ChannelGroups(limits: GroupLimits(groups: 1, channelsPerGroup: 3, channelsPerCall: 2))
        #expect(throws: GroupRefusal.tooManyChannelsInOneCall(limit: 2)) { try book.add(["a", "b", "c"], to: "g") }
        _ = try book.add(["a", "b"], to: "g")
        #expect(throws: GroupRefusal.tooManyChannels(limit: 3)) { try book.add(["c", "d"], to: "g") }
        #expect(throws: GroupRefusal.tooManyGroups(limit: 1)) { try book.add(["a"], to: "h") }
        #expect(try book.add(["b", "c"], to: "g").channels == ["a", "b", "c"])
        #expect(book.names == ["g"])
    }

    @Test("PV-184: a change that adds and removes says what remains of both, and is refused as a whole")
    func addingAndRemoving() throws {
        var book = ChannelGroups(limits: GroupLimits(groups: 1, channelsPerGroup: 3, channelsPerCall: 2))
        let first = try book.change("g", adding: ["a", "b"], removing: ["b", "x"])
        #expect(first.channels == ["a"] && first.added == ["a"] && first.removed.isEmpty)
        let second = try book.change("g", adding: ["c"], removing: ["a"])
        #expect(second.channels == ["c"] && second.added == ["c"] && second.removed == ["a"])
        #expect(try book.change("g", adding: ["d"], removing: ["d"]).hasChanged == false)
        let bytes = book.bytes
        #expect(throws: GroupRefusal.invalidName) { try book.change("g", adding: ["e"], removing: ["x y"]) }
        #expect(throws: GroupRefusal.tooManyChannelsInOneCall(limit: 2)) {
            try book.change("g", adding: ["e"], removing: ["x", "y", "z"])
        }
        #expect(throws: GroupRefusal.tooManyGroups(limit: 1)) { try book.change("h", adding: ["e"], removing: ["c"]) }
        #expect(book.channels(of: "g") == ["c"] && book.names == ["g"] && book.bytes == bytes)
        #expect(try book.change("g", adding: [], removing: ["c"]).channels.isEmpty && book.bytes == 0)
    }

    @Test("All groups together have a bound in bytes, which is given back (HB-65)")
    func bytes() throws {
        var book = ChannelGroups(limits: GroupLimits(bytes: 2000))
        let long = Identifier(String(repeating: "x", count: 92))
        for number in 0..<7 { _ = try book.add([long], to: Identifier("g\(number)")) }
        #expect(throws: GroupRefusal.full) { try book.add([long], to: "another") }
        #expect(book.names.count == 7)
        _ = try book.remove([long], from: "g0")
        _ = book.remove(group: "g1")
        _ = try book.add([long], to: "another")
        for name in book.names { _ = book.remove(group: name) }
        #expect(book.bytes == 0)
    }

    @Test("The limits without further word are those of the service")
    func defaults() throws {
        var book = ChannelGroups()
        for call in 0..<10 { _ = try book.add((0..<200).map { Identifier("c\(call)-\($0)") }, to: "g") }
        #expect(throws: GroupRefusal.tooManyChannels(limit: 2000)) { try book.add(["another"], to: "g") }
        #expect(throws: GroupRefusal.tooManyChannelsInOneCall(limit: 200)) {
            try book.add((0..<201).map { Identifier("\($0)") }, to: "h")
        }
    }

    @Test(
        "Names are checked",
        arguments: ["", "a,b", "a:b", "a.*", "a/b", "a\\b", "a b", "a\nb", String(repeating: "x", count: 93)])
    func names(text: String) {
        let name = Identifier(text)
        var book = ChannelGroups()
        #expect(throws: GroupRefusal.invalidName) { try book.add([name], to: "g") }
        #expect(throws: GroupRefusal.invalidName) { try book.add(["a"], to: name) }
        #expect(throws: GroupRefusal.invalidName) { try book.remove([name], from: "g") }
    }
}
