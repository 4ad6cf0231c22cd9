import ConnectionEngine
import PubNubProtocol
import Testing

@Suite("Where polling goes on (rules PX-6 to PX-8, PX-11, PX-13 and PX-14)")
struct PubNubPositionTests {
    /// One way to come to a handshake, and what has to follow it.
    struct Row: CustomTestStringConvertible {
        var name: String
        var keeps = true
        var catchesUp = true
        var isLoss = false
        var startAt: UInt64?
        var answer: UInt64 = 200
        var region = 1
        var next: String
        var gap = false
        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "a list change keeps the position", next: "100/1"),
        Row(name: "a list change that takes the new one", keeps: false, next: "200/1", gap: true),
        Row(name: "a list change does not ask for catch-up", catchesUp: false, next: "100/1"),
        Row(name: "a loss catches up", isLoss: true, next: "100/1"),
        Row(name: "a loss without catch-up", catchesUp: false, isLoss: true, next: "200/1", gap: true),
        Row(name: "a loss does not ask for the list change's setting", keeps: false, isLoss: true, next: "100/1"),
        Row(name: "an older timetoken of the user's", startAt: 50, next: "50/1"),
        Row(name: "a newer timetoken of the user's", startAt: 150, next: "150/1", gap: true),
        Row(name: "a timetoken of the user's after a loss", isLoss: true, startAt: 50, next: "50/1"),
        Row(name: "zero is no timetoken", startAt: 0, next: "100/1"),
        Row(name: "a stream that stands further back is not followed", answer: 90, next: "100/1", gap: true),
        Row(name: "another region knows the past only as its own", region: 2, next: "100/2", gap: true),
        Row(name: "another region that stands further back", answer: 90, region: 2, next: "90/2", gap: true),
        Row(name: "another region after a loss (F60)", isLoss: true, answer: 90, region: 2, next: "90/2", gap: true),
        Row(name: "another region and a timetoken of the user's", startAt: 50, region: 2, next: "50/2", gap: true),
    ]

    @Test("The table of positions", arguments: rows)
    func table(_ row: Row) {
        var options = PubNubOptions()
        options.keepsTimetokenOnListChange = row.keeps
        options.catchesUpOnRestore = row.catchesUp
        let script = PubNubScript.connected("a", options: options)
        script.advance(.seconds(5))
        if row.isLoss {
            script.lose()
            script.subscribe(["b"], at: row.startAt)
            script.reopen()
        } else {
            script.subscribe(["b"], at: row.startAt)
        }
        #expect(script.sent() == ["handshake a,b"])
        script.forget()
        script.answer(row.answer, region: row.region)
        #expect(script.sent() == ["poll a,b \(row.next)"])
        let told = script.told().filter { $0 != "<connected>" }
        let subscribed = "subscribed a,b 100/1->\(row.next)" + (row.isLoss ? " again" : "")
        #expect(told == [subscribed] + (row.gap ? ["gap a since 1 after 100"] : []))
    }

    @Test("The first subscription may begin at a timetoken, and misses nothing")
    func firstStart() {
        let script = PubNubScript()
        script.subscribe(["a"], at: 50)
        script.connect()
        script.answer(200)
        #expect(script.sent() == ["handshake a", "poll a 50/1"])
        #expect(script.told() == ["<connecting>", "<connected>", "subscribed a 0->50/1"])
        // Once: the next handshake goes on from where polling got to.
        script.answer(210)
        script.subscribe(["b"])
        script.answer(220)
        #expect(script.sent() == ["poll a 210/1", "handshake a,b", "poll a,b 210/1"])
    }

    @Test("The same list, or an empty one, asks afresh", arguments: [["a"], []])
    func forced(_ list: [String]) {
        let script = PubNubScript.connected("a")
        script.subscribe(list)
        #expect(script.sent() == ["handshake a"])
        #expect(script.answers() == [])
        script.answer(150)
        #expect(script.told() == ["subscribed a 100/1->100/1"])
        #expect(script.answers() == ["2 subscribed"])
    }

    @Test("A new filter asks afresh, and takes effect after what was read")
    func filter() {
        let script = PubNubScript.connected("a")
        script.perform(.setFilter("x == 1"))
        #expect(script.sent() == ["handshake a filter-expr=x == 1"])
        script.answer(150)
        script.perform(.setFilter(nil))
        #expect(script.sent() == ["poll a 100/1 filter-expr=x == 1", "handshake a"])
    }

    @Test("Answers of polls that were replaced are ignored")
    func late() throws {
        let script = PubNubScript.connected("a")
        let old = try #require(script.poll)
        script.subscribe(["b"])
        let handshake = try #require(script.poll)
        script.answer(110, PubNubScript.messages("a", 110...110), to: old)
        #expect(script.told() == [])
        script.subscribe(["c"])
        script.answer(120, to: handshake)
        #expect(script.told() == [])
        script.answer(130)
        #expect(script.told() == ["subscribed a,b,c 100/1->100/1"])
        #expect(script.sent() == ["handshake a,b", "handshake a,b,c", "poll a,b,c 100/1"])
        script.answer(140, PubNubScript.messages("a", 110...110), to: old)
        #expect(script.told() == [])
    }

    @Test("An answer that stands further back, or nowhere, never rewinds")
    func backwards() {
        let script = PubNubScript.connected("a")
        script.answer(90, [PubNubScript.message("a", 101)])
        #expect(script.sent() == ["poll a 100/1"])
        #expect(script.told() == ["messages a@101"])
        script.answer(0, region: 0, [PubNubScript.message("a", 102)])
        #expect(script.sent() == ["poll a 100/1"])
        #expect(script.told() == ["messages a@102"])
        script.answer(103, [PubNubScript.message("a", 103)])
        #expect(script.sent() == ["poll a 103/1"])
        #expect(script.told() == ["messages a@103"])
        // Twice in a row is no accident.
        script.answer(0)
        script.forget()
        script.answer(0)
        #expect(script.told() == ["problem malformedResponse", "<waiting>"])
    }

    @Test("Another region in the answer to a poll is another stream: a gap, and its position counts", arguments: [50, 150])
    func otherRegion(_ timetoken: UInt64) {
        let script = PubNubScript.connected("a", "b")
        script.advance(.seconds(3))
        script.answer(timetoken, region: 2, [PubNubScript.message("a", timetoken)])
        #expect(script.sent() == ["poll a,b \(timetoken)/2"])
        #expect(script.told() == ["gap a,b since 1 after 100", "messages a@\(timetoken)"])
    }

    @Test("A service without regions is followed without them")
    func noRegion() {
        let script = PubNubScript()
        script.subscribe(["a"])
        script.connect()
        script.answer(100, region: nil)
        script.answer(110, region: nil, [PubNubScript.message("a", 110)])
        script.answer(120, region: 3, [PubNubScript.message("a", 120)])
        script.answer(130, region: nil, [PubNubScript.message("a", 130)])
        #expect(script.sent() == ["handshake a", "poll a 100", "poll a 110", "poll a 120/3", "poll a 130/3"])
        #expect(!script.told().contains { $0.hasPrefix("gap") })
    }

    @Test("Old messages on a new channel come as configured, each once (F57)")
    func oldMessagesOnNewChannel() {
        for keeps in [true, false] {
            var options = PubNubOptions()
            options.keepsTimetokenOnListChange = keeps
            let script = PubNubScript.connected("a", options: options)
            script.subscribe(["b"])
            script.answer(200)
            #expect(script.sent() == ["handshake a,b", keeps ? "poll a,b 100/1" : "poll a,b 200/1"])
            _ = script.told()
            // What the service has from there on.
            let old = keeps ? [PubNubScript.message("b", 150)] : []
            script.answer(210, old + [PubNubScript.message("a", 205)])
            script.answer(220, [PubNubScript.message("a", 215)])
            let expected = keeps ? ["messages b@150 a@205", "messages a@215"] : ["messages a@205", "messages a@215"]
            #expect(script.told().filter { $0.hasPrefix("messages") || $0.hasPrefix("gap") } == expected)
        }
    }

    @Test("What was asked for is confirmed before its messages, and nothing overtakes what is caught up (F61)")
    func order() {
        let script = PubNubScript.connected("a")
        script.lose()
        script.reopen()
        script.answer(200)
        script.answer(250, PubNubScript.messages("a", 110...112))
        script.answer(260, PubNubScript.messages("a", 255...256))
        #expect(
            script.told().suffix(4) == [
                "<connected>", "subscribed a 100/1->100/1 again", "messages a@110 a@111 a@112", "messages a@255 a@256",
            ])
    }
}
