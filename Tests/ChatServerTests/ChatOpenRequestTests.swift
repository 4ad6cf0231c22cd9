import ChatProtocol
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Requests about open channels (session document 8, CH-60 to CH-73)", .timeLimit(.minutes(2)))
struct ChatOpenRequestTests {
    private func text(_ text: String, _ more: String = "") -> String {
        #""cid":"\#(text)","conv":"open","to":"r","type":"RC:TxtMsg","content":{"content":"\#(text)"}\#(more)"#
    }

    private func enter(_ client: ChatTestClient, _ more: String = "") async throws -> JSONValue {
        try await client.done("open.enter", #""ch":"r"\#(more)"#)
    }

    private func words(_ answer: JSONValue) -> [String] { answer["messages"]?.array?.compactMap(\.words) ?? [] }

    @Test("Who entered hears what is said and who comes and goes, and nobody else does")
    func talk() async throws {
        try await withChatServer { server in
            let a = try await server.device("a"), b = try await server.device("b"), outside = try await server.device("c")
            let first = try await enter(a)
            #expect(first["count"]?.integer == 1 && first["messages"]?.array?.isEmpty == true)
            #expect(try await enter(b)["count"]?.integer == 2)
            let came = try await a.hear("openMembers")
            #expect(came["actions"]?.text == #"[{"user":"b","action":"join"}]"# && came["count"]?.integer == 2)
            try await a.done("send", text("hello"))
            #expect(try await b.hear("msg").words == "hello")
            try await a.expectSilence()
            #expect(try await outside.refused("send", text("x")) == 23_406)
            try await b.done("open.exit", #""ch":"r""#)
            #expect(try await a.hear("openMembers")["actions"]?.text == #"[{"user":"b","action":"leave"}]"#)
            try await a.done("send", text("again"))
            try await b.expectSilence()
            try await outside.expectSilence()
            #expect(try await b.refused("open.exit", #""ch":"r""#) == 23_406)
        }
    }

    @Test("Everybody but the speaker hears it, whatever event loops they are on")
    func loops() async throws {
        try await withChatServer(.development, { $0.threads = 3 }) { server in
            var clients: [ChatTestClient] = []
            for number in 0..<9 {
                let client = try await server.device("u\(number)")
                _ = try await enter(client)
                for other in clients { try await other.hear("openMembers") }
                clients.append(client)
            }
            for (number, speaker) in clients.enumerated() {
                try await speaker.done("send", text("\(number)"))
                for other in clients where other !== speaker { #expect(try await other.hear("msg").words == "\(number)") }
                try await speaker.expectSilence()
            }
        }
    }

    @Test("Entering brings the last messages, or those after a given one and whether some are missing")
    func history() async throws {
        try await withChatServer { server in
            let a = try await server.device("a"), b = try await server.device("b")
            _ = try await enter(a)
            var ids: [String] = []
            for number in 1...30 {
                ids.append(try await a.done("send", text("\(number)"))["id"]?.string ?? "")
            }
            try await a.done("send", text("passing", #","persist":false"#))
            #expect(words(try await enter(b)) == (11...30).map(String.init))
            #expect(words(try await enter(b, #","count":0"#)).isEmpty)
            let all = try await enter(b, #","count":50"#)
            #expect(words(all) == (1...30).map(String.init) && all["more"]?.bool == false)
            let after = try await enter(b, #","count":50,"after":"\#(ids[19])""#)
            #expect(words(after) == (21...30).map(String.init) && after["more"]?.bool == false)
            let cut = try await enter(b, #","count":3,"after":"\#(ids[19])""#)
            #expect(words(cut) == (28...30).map(String.init) && cut["more"]?.bool == true)
            let none = try await enter(b, #","count":3,"after":"\#(ids[29])""#)
            #expect(words(none).isEmpty && none["more"]?.bool == false)
            let missed = try await enter(b, #","count":0,"after":"\#(ids[28])""#)
            #expect(words(missed).isEmpty && missed["more"]?.bool == true)
            #expect(try await b.refused("open.enter", #""ch":"r","count":51"#) == 33_003)
        }
    }

    @Test("Nothing is missing and nothing comes twice for somebody who enters while others talk")
    func race() async throws {
        try await withChatServer { server in
            let speaker = try await server.device("a")
            let listeners = [try await server.device("l0"), try await server.device("l1"), try await server.device("l2")]
            _ = try await enter(speaker)
            let total = 200
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 1...total { try await speaker.ask("send", text("\(number)")) }
                }
                for listener in listeners {
                    group.addTask {
                        let number = try await listener.ask("open.enter", #""ch":"r","count":50"#)
                        var history: [String]?
                        var live: [String] = []
                        while history == nil || (live.last ?? history?.last) != "\(total)" {
                            guard case .frame(let frame) = try await listener.next() else {
                                throw ChatTestClient.Unexpected(description: "the end")
                            }
                            if frame["n"]?.integer == number { history = words(frame) }
                            if frame["t"]?.string == "ev", let words = frame["e"]?.words { live.append(words) }
                        }
                        let all = ((history ?? []) + live).compactMap { Int($0) }
                        #expect(all == Array((all.first ?? 0)...total))
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("Metadata reach everybody, and those go that belong to who left")
    func metadata() async throws {
        try await withChatServer { server in
            let a = try await server.device("a"), b = try await server.device("b")
            _ = try await enter(a)
            _ = try await enter(b)
            try await a.hear("openMembers")
            let number = try await a.ask("open.meta.set", #""ch":"r","meta":{"topic":"birds"},"deleteWhenLeft":true"#)
            let set = try await a.hear("openMeta")
            #expect(set["changes"]?.text == #"[{"key":"topic","value":"birds","op":"update"}]"#)
            #expect(try await a.expect("ok")["n"]?.integer == number)
            #expect(try await b.hear("openMeta") == set)
            #expect(try await b.refused("open.meta.set", #""ch":"r","meta":{"topic":"fish"}"#) == 23_424)
            #expect(try await b.refused("open.meta.delete", #""ch":"r","keys":["none"]"#) == 23_427)
            let meta = try await b.done("open.meta", #""ch":"r""#)["meta"]
            #expect(meta?.text == #"[{"key":"topic","value":"birds","owner":"a"}]"#)
            try await a.done("open.exit", #""ch":"r""#)
            try await b.hear("openMembers")
            #expect(try await b.hear("openMeta")["changes"]?.array?.first?["op"]?.string == "remove")
            #expect(try await enter(b)["meta"]?.array?.isEmpty == true)
        }
    }

    @Test("What the server decides reaches those who are there, and a ban ends it for the banned")
    func orders() async throws {
        try await withChatServer { server in
            let a = try await server.device("a"), b = try await server.device("b")
            _ = try await enter(a)
            _ = try await enter(b)
            try await a.hear("openMembers")
            let chat = server.chat
            try await chat.changed { book, change in
                chat.tell(
                    try book.muteInOpenChannel("r", users: ["b"], minutes: 1, at: change.now, into: &change.commit), &change)
            }
            for client in [a, b] {
                let mute = try await client.hear("openMute")
                #expect(mute["type"]?.string == "muteUsers" && mute["duration"]?.integer == 60_000)
            }
            #expect(try await b.refused("send", text("x")) == 23_408)
            #expect(try await enter(b)["mutedHere"]?.bool == true)
            try await chat.changed { book, change in
                chat.tell(try book.barFromOpenChannel("r", users: ["b"], at: change.now, into: &change.commit), &change)
            }
            #expect(try await a.hear("openBan")["users"]?.text == #"["b"]"#)
            try await a.hear("openMembers")
            try await b.hear("openBan")
            #expect(try await b.hear("openMembers")["count"]?.integer == 1)
            #expect(try await b.refused("open.enter", #""ch":"r""#) == 23_409)
            // CH-77: who is banned does not learn who is there.
            #expect(try await b.refused("open.info", #""ch":"r","limit":10"#) == 23_409)
            #expect(try await a.done("open.info", #""ch":"r","limit":10"#)["count"]?.integer == 1)
            try await a.done("send", text("alone"))
            try await b.expectSilence()
            try await chat.changed { book, change in
                chat.tell(try book.destroyOpenChannel("r", at: change.now, into: &change.commit), &change)
            }
            #expect(try await a.hear("openDestroyed")["by"]?.string == "manual")
            #expect(try await a.refused("send", text("y")) == 23_410)
        }
    }

    @Test("A lost connection is no leaving, and coming back brings what was missed (F71, F72)")
    func lost() async throws {
        try await withChatServer { server in
            let a = try await server.device("a"), b = try await server.device("b")
            _ = try await enter(a)
            _ = try await enter(b)
            try await a.hear("openMembers")
            let last = try await a.done("send", text("1"))["id"]?.string ?? ""
            #expect(try await b.hear("msg").words == "1")
            await b.closeSocket()
            try await eventually("b is gone") { server.chat.read { !$0.isOnline("b") } }
            try await a.done("send", text("2"))
            let again = try await server.device("b")
            #expect(words(try await enter(again, #","after":"\#(last)""#)) == ["2"])
            try await a.done("send", text("3"))
            #expect(try await again.hear("msg").words == "3")
            try await a.expectSilence()
        }
    }

    @Test("A user's other devices learn of entering and leaving")
    func sync() async throws {
        try await withChatServer { server in
            let phone = try await server.device("u", "p"), web = try await server.device("u", "w", class: "web")
            _ = try await enter(phone)
            let join = try await web.hear("openSync")
            #expect(join["status"]?.string == "join" && join["reason"]?.string == "otherDevice")
            try await phone.done("open.exit", #""ch":"r""#)
            let quit = try await web.hear("openSync")
            #expect(quit["status"]?.string == "quit" && quit["reason"]?.string == "own")
            let info = try await web.done("open.info", #""ch":"r","limit":10"#)
            #expect(info["count"]?.integer == 0 && info["members"]?.array?.isEmpty == true)
        }
    }
}
