import ChatDatabase
import ChatProtocol
import Testing

@Suite("History and what is missing in it (CD-20 to CD-25)")
struct HistoryTests {
    private let scratch = Scratch()

    /// The server's history of one channel.
    private struct Server {
        var messages: [ChatMessage]

        func answer(_ request: ChatHistoryRequest) -> (page: [ChatMessage], hasMore: Bool) {
            let ascending = messages.sorted { $0.id < $1.id }
            let found: [ChatMessage] =
                switch request.place {
                case .latest: ascending.reversed()
                case .before(let id): ascending.filter { $0.id < id }.reversed()
                case .beforeTime(let time): ascending.filter { $0.time < time }.reversed()
                case .after(let id): ascending.filter { $0.id > id }
                case .afterTime(let time): ascending.filter { $0.time > time }
                }
            return (Array(found.prefix(request.limit)), found.count > request.limit)
        }
    }

    @Test("Pages go in both directions, from times, ids and messages, all exclusive")
    func pages() throws {
        let database = try scratch.open()
        try database.receive((1...9).map { .message(text($0 * 100)) })
        let times = { (place: LocalPlace, limit: Int) in
            try database.history(ann, from: place, limit: limit).messages.map(\.sentTime)
        }
        let middle = try #require(try database.message(id: id(500)))
        #expect(try times(.latest, 3) == [900, 800, 700])
        #expect(try times(.oldest, 3) == [100, 200, 300])
        #expect(try times(.before(middle), 2) == [400, 300])
        #expect(try times(.after(middle), 2) == [600, 700])
        #expect(try times(.beforeTime(500), 2) == [400, 300])
        #expect(try times(.afterTime(500), 2) == [600, 700])
        #expect(try times(.beforeID(id(500)), 1) == [400])
        #expect(try times(.afterID(id(500)), 1) == [600])
        #expect(try times(.beforeTime(.max), 1) == [900])
        #expect(try times(.afterTime(.max), 1) == [])
        try database.deleteMessages([id(500)], in: ann)
        #expect(try times(.before(middle), 1) == [400])
        #expect(try database.history(ChatChannel(.direct, "nobody")).messages == [])
    }

    @Test("Pages of some types only")
    func types() throws {
        let database = try scratch.open()
        let kinds = ["RC:TxtMsg", "RC:ImgMsg", "app:note"]
        try database.receive((1...9).map { .message(text($0 * 100, type: kinds[Int($0) % 3])) })
        let times = { (types: [String], limit: Int) in
            try database.history(ann, types: types, limit: limit).messages.map(\.sentTime)
        }
        #expect(try times(["RC:ImgMsg"], 2) == [700, 400])
        #expect(try times(["RC:TxtMsg", "app:note"], 3) == [900, 800, 600])
        #expect(try times(["unknown"], 3) == [])
        #expect(
            try database.history(ann, from: .oldest, types: ["app:note", "RC:ImgMsg"], limit: 3).messages.map(\.sentTime) == [
                100, 200, 400,
            ])
    }

    @Test("A new device has to ask, page after page; then it has to no more")
    func asking() throws {
        let database = try scratch.open()
        let server = Server(messages: (1...50).map { text($0 * 100) })
        try database.beginInbox(at: 5_000, isContinued: false, hasEverything: true)
        #expect(try database.history(ann, limit: 20).missing?.place == .before(id(5_001)))
        var asked = 0
        var place = LocalPlace.latest
        var seen: [Int64] = []
        while true {
            var page = try database.history(ann, from: place, limit: 20)
            while let request = page.missing {
                asked += 1
                let (answer, hasMore) = server.answer(request)
                try database.merge(answer, of: request, hasMore: hasMore)
                page = try database.history(ann, from: place, limit: 20)
            }
            seen += page.messages.map(\.sentTime)
            guard let last = page.messages.last, page.messages.count == 20 else { break }
            place = .before(last)
        }
        #expect(seen == (1...50).reversed().map { $0 * 100 })
        #expect(asked == 3)
        #expect(try database.coverage(of: ann) == [id(0)...ChatMessageID(rawValue: UInt64(Int64.max))])
        #expect(try database.history(ann, limit: 20).missing == nil)
        #expect(try database.history(ann, from: .oldest, limit: 100).missing == nil)
    }

    @Test("What comes through the inbox needs no asking; a gap does, in every channel, and only there")
    func gap() throws {
        let database = try scratch.open()
        try database.beginInbox(at: 1_000, isContinued: false, hasEverything: true)
        for channel in [ann, team] {
            let request = ChatHistoryRequest(channel)
            try database.merge([], of: request, hasMore: false)
        }
        try database.receive(.message(text(1_100)), .message(text(1_200, in: team)), .message(text(1_300)))
        #expect(try database.history(ann).missing == nil)
        // Continued: nothing changes.
        try database.beginInbox(at: 2_000, isContinued: true, hasEverything: true)
        #expect(try database.history(team).missing == nil)
        try database.beginInbox(at: 3_000, isContinued: false, hasEverything: true)
        try database.receive(.message(text(3_100)))
        let page = try database.history(ann)
        #expect(page.messages.map(\.sentTime) == [3_100, 1_300, 1_100])
        #expect(page.missing?.place == .before(id(3_001)))
        #expect(try database.history(team).missing?.place == .before(id(3_001)))
        // The newest message lies after the gap, the oldest two before it.
        #expect(try database.history(ann, limit: 1).missing == nil)
        #expect(try database.history(ann, from: .beforeTime(1_300), limit: 20).missing == nil)
        #expect(try database.history(ann, from: .afterTime(1_200), limit: 1).missing == nil)
        #expect(try database.history(ann, from: .afterTime(1_200), limit: 2).missing?.place == .after(id(1_300)))
        // An answer that reaches into what is known closes it.
        let request = try #require(page.missing)
        try database.merge([text(2_000), text(1_300)], of: request, hasMore: true)
        #expect(try database.history(ann).messages.map(\.sentTime) == [3_100, 2_000, 1_300, 1_100])
        #expect(try database.history(ann).missing == nil)
        #expect(try database.history(team).missing != nil)
        try database.declareGap(at: 4_000)
        #expect(try database.history(ann).missing?.place == .before(id(4_001)))
    }

    @Test("CD-27: Without a live inbox something may have come since the last message, but not before it")
    func offline() throws {
        let database = try scratch.open()
        try database.beginInbox(at: 1_000, isContinued: false, hasEverything: true)
        try database.merge([], of: ChatHistoryRequest(ann), hasMore: false)
        try database.receive(.message(text(1_100)))
        #expect(try database.history(ann, isLive: true).missing == nil)
        #expect(try database.history(ann, isLive: false).missing?.place == .latest)
        #expect(try database.history(ann, limit: 1, isLive: false, isFresh: true).missing == nil)
        #expect(try database.history(ann, from: .beforeTime(1_100), isLive: false).missing == nil)
    }

    @Test("CD-28: The inbox proves nothing of a group for the time before the user came in, also when they had been there before")
    func joining() throws {
        let database = try scratch.open()
        try database.beginInbox(at: 1_000, isContinued: false, hasEverything: true)
        for channel in [ann, team] { try database.merge([], of: ChatHistoryRequest(channel), hasMore: false) }
        #expect(try database.history(team).missing == nil)
        try database.receive(joined(team.id, "me", at: 2_000), .message(text(2_100, in: team)))
        #expect(try database.history(team).missing?.place == .before(id(2_001)))
        #expect(try database.history(team, limit: 1).missing == nil)
        #expect(try database.history(ann).missing == nil)
        // Others come and go without a hole for this user.
        try database.merge([text(1_500, in: team)], of: ChatHistoryRequest(team, place: .before(id(2_001))), hasMore: false)
        #expect(try database.history(team).missing == nil)
        try database.receive(joined(team.id, "eve", at: 2_500))
        #expect(try database.history(team).missing == nil)
        // What the inbox had proved before a gap counts from the day of the arrival, too.
        try database.receive(.message(text(2_600)), joined("club", "me", at: 2_550))
        try database.beginInbox(at: 3_000, isContinued: false, hasEverything: true)
        let club = ChatChannel(.group, "club")
        #expect(try database.coverage(of: club).first?.lowerBound ?? id(0) > id(2_549))
    }

    private func joined(_ group: String, _ user: String, at time: Int64) -> ChatWireEvent {
        let group = ChatGroup(id: group, name: "Group", owner: "ann")
        let members = [ChatGroupMember(user: user, role: .member)]
        return .group(ChatGroupOperation(kind: .join, group: group, operator: "ann", members: members, time: time))
    }

    @Test("Where the inbox does not bring everything, only answers count")
    func incomplete() throws {
        let database = try scratch.open()
        try database.beginInbox(at: 1_000, isContinued: false, hasEverything: false)
        try database.receive(.message(text(1_100)))
        #expect(try database.history(ann).missing?.place == .latest)
        try database.merge([text(1_100)], of: ChatHistoryRequest(ann), hasMore: false)
        // Something may have come since; just after asking it has not.
        #expect(try database.history(ann).missing?.place == .latest)
        #expect(try database.history(ann, isFresh: true).missing == nil)
        #expect(try database.history(ann, from: .beforeTime(1_100)).missing == nil)
        #expect(try database.history(ann, from: .oldest, limit: 1).missing == nil)
    }

    @Test("The inbox says nothing of open channels; pages of their history do")
    func openChannels() throws {
        let database = try scratch.open()
        let hall = ChatChannel(.open, "hall")
        try database.beginInbox(at: 1_000, isContinued: false, hasEverything: true)
        _ = try database.receive(transient: [.message(text(1_100, in: hall, from: "bob"))])
        #expect(try database.history(hall).missing?.place == .latest)
        let page = [text(1_100, in: hall, from: "bob"), text(1_050, in: hall, from: "bob")]
        try database.merge(page, of: ChatHistoryRequest(hall), hasMore: false)
        #expect(try database.coverage(of: hall) == [id(0)...id(1_100)])
        #expect(try database.history(hall, isFresh: true).missing == nil)
        try database.beginInbox(at: 2_000, isContinued: false, hasEverything: true)
        #expect(try database.coverage(of: hall) == [id(0)...id(1_100)])
    }

    @Test("A page of history counts as unread nowhere, moves no channel up, and renews what was edited")
    func merging() throws {
        let database = try scratch.open()
        try database.receive(.message(text(500, "old")))
        let own = try database.insert(outgoing("c-1", time: 600))
        let edited = text(500, "new") { $0.edited = 800 }
        let new = try database.merge(
            [text(700), edited, text(650, from: "me", clientID: "c-1"), text(300), text(400, in: team)], of: ann)
        #expect(new.map(\.sentTime) == [300, 650, 700])
        #expect(new.map(\.localID)[1] == own.localID)
        #expect(try database.times() == [700, 650, 500, 300])
        #expect(try database.unread() == [1, 0])
        #expect(try database.message(id: id(500))?.content == textContent("new"))
        #expect(try database.search("old", in: ann).messages == [])
        #expect(try database.channel(ann)?.latest?.sentTime == 700)
        try database.merge([text(100, in: team)], of: team)
        #expect(try database.channels([.group], limit: 5) == [])
    }

    @Test("Stretches can be given by their ends")
    func ends() throws {
        let database = try scratch.open()
        try database.merge([text(200)], of: ann, between: id(100)...id(300))
        #expect(try database.coverage(of: ann) == [id(100)...id(300)])
        #expect(try database.history(ann, from: .beforeTime(300), limit: 1).missing == nil)
        #expect(try database.history(ann, from: .beforeTime(300), limit: 2).missing?.place == .before(id(100)))
        #expect(try database.coverage(of: team) == [])
    }

    @Test(
        "However gaps lie, asking for what is missing ends with all that the server has", arguments: 1...12 as ClosedRange<UInt64>
    )
    func random(seed: UInt64) throws {
        var random = SeededNumbers(seed)
        let server = Server(messages: (1...80).map { text($0 * 10) })
        let database = try scratch.open()
        try database.beginInbox(at: 0, isContinued: false, hasEverything: true)
        for message in server.messages {
            // Outside of gaps everything comes.
            if message.time / 100 % 2 == Int64(seed % 2) {
                try database.receive(.message(message))
            } else {
                try database.declareGap(at: message.time)
            }
        }
        for _ in 0..<60 {
            let time = Int64.random(in: 0...820, using: &random)
            let place: LocalPlace =
                [.latest, .oldest, .beforeTime(time), .afterTime(time)].randomElement(using: &random) ?? .latest
            let limit = Int.random(in: 1...30, using: &random)
            var page = try database.history(ann, from: place, limit: limit)
            var rounds = 0
            while let request = page.missing, rounds < 20 {
                rounds += 1
                let (answer, hasMore) = server.answer(request)
                try database.merge(answer, of: request, hasMore: hasMore)
                page = try database.history(ann, from: place, limit: limit)
            }
            #expect(page.missing == nil)
            let all = server.messages.map(\.time)
            let expected: [Int64] =
                switch place {
                case .latest: all.reversed()
                case .oldest: all
                case .beforeTime: all.filter { $0 < time }.reversed()
                default: all.filter { $0 > time }
                }
            #expect(page.messages.map(\.sentTime) == Array(expected.prefix(limit)))
        }
    }
}
