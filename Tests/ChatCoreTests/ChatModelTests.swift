import ChatProtocol
import ChatServer
import ConnectionEngine
import Identifiers
import ServerStorage
import Testing

/// What a few dictionaries say of the same things.
private struct NaiveChat {
    var members: [Identifier: Set<Identifier>] = [:]
    var rooms: [Identifier: Set<Identifier>] = [:]
    var sessions: [Identifier: [ChatSessionID]] = [:]
    var inboxes: [Identifier: UInt64] = [:]
}

@Suite("The chat core against dictionaries (CH-20, CH-40, CH-60, CH-90)")
struct ChatModelTests {
    @Test("Whatever happens, counts, inboxes and the store agree", arguments: 1...8 as ClosedRange<UInt64>)
    func randomly(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var limits = ChatLimits()
        limits.groupMembers = 6
        var script = ChatScript(
            limits: limits, syncsDevices: seed % 2 == 0, allowsManyOpenChannels: seed % 3 != 0, tokenLifetime: .seconds(600))
        var model = NaiveChat()
        let users: [Identifier] = (0..<8).map { "u\($0)" }
        let groups: [Identifier] = ["g", "h", "i"]
        let rooms: [Identifier] = ["r", "s"]
        // Events go to those who are there: somebody always is.
        for (number, room) in rooms.enumerated() {
            let entrance = try script.enter(room, try script.signIn("witness\(number)"), "witness\(number)")
            apply(entrance.news, &model)
        }
        for step in 0..<2_000 {
            script.now += Int64.random(in: 0..<2_000, using: &random)
            let user = try #require(users.randomElement(using: &random))
            let other = try #require(users.randomElement(using: &random))
            let group = try #require(groups.randomElement(using: &random))
            let room = try #require(rooms.randomElement(using: &random))
            switch Int.random(in: 0..<16, using: &random) {
            case 0...2: try send(user, group, &script, &model)
            case 3:
                note(
                    try? script.run {
                        try $0.createGroup(
                            ChatDocument.Group(id: group, name: "n", owner: user), users: [other], by: .user(user), at: $1,
                            into: &$2)
                    }, &script, &model)
            case 4:
                note(
                    try? script.run { try $0.joinGroup(group, users: [user], by: .user(user), at: $1, into: &$2) }, &script,
                    &model)
            case 5:
                note(
                    try? script.run { try $0.inviteToGroup(group, users: [other], by: .user(user), at: $1, into: &$2) }, &script,
                    &model)
            case 6:
                note(
                    try? script.run { try $0.kickFromGroup(group, users: [other], by: .user(user), at: $1, into: &$2) }, &script,
                    &model)
            case 7:
                note(
                    try? script.run { try $0.quitGroup(group, users: [user], by: .user(user), at: $1, into: &$2) }, &script,
                    &model)
            case 8:
                let changes = try? script.run {
                    try $0.transferGroup(group, to: other, leaves: step % 2 == 0, by: .user(user), at: $1, into: &$2)
                }
                for change in changes ?? [] { note(change, &script, &model) }
            case 9:
                if step % 8 == 0 {
                    note(try? script.run { try $0.dismissGroup(group, by: .user(user), at: $1, into: &$2) }, &script, &model)
                }
            case 10: signIn(user, &random, &script, &model)
            case 11:
                if let session = model.sessions[user]?.randomElement(using: &random) {
                    model.sessions[user]?.removeAll { $0 == session }
                    apply(script.signOut(session, user, isDeliberate: Bool.random(using: &random)), &model)
                }
            case 12, 13:
                if let session = model.sessions[user]?.randomElement(using: &random),
                    let entrance = try? script.enter(room, session, user)
                {
                    apply(entrance.news, &model)
                    #expect(entrance.count == model.rooms[room]?.count)
                }
            case 14:
                if let session = model.sessions[user]?.randomElement(using: &random),
                    let news = try? script.run({ try $0.exitOpenChannel(room, session: session, user: user, at: $1, into: &$2) })
                {
                    apply(news, &model)
                }
            default: try disturb(step, user, other, room, &script, &model)
            }
            apply(script.pass(0), &model)
            try agree(script, model, users, groups, rooms)
            if step % 500 == 499 { try #require(script.isInStep, "step \(step)") }
        }
        #expect(script.isInStep)
    }

    private func send(_ user: Identifier, _ group: Identifier, _ script: inout ChatScript, _ model: inout NaiveChat) throws {
        guard let session = model.sessions[user]?.first else { return }
        let draft = ChatDraft(kind: .group, to: group, contentBytes: 1)
        do throws(ChatRefusal) {
            let admission = try script.book.admit(draft, from: user, session: session.id, at: script.now)
            place(admission.recipients, &script, &model)
            #expect(admission.recipients.others == (model.members[group]?.count ?? 0) - 1)
        } catch {
            #expect(error.code == (model.members[group] == nil ? 25_410 : 22_406))
            #expect(model.members[group]?.contains(user) != true)
        }
    }

    private func place(_ recipients: ChatRecipients, _ script: inout ChatScript, _ model: inout NaiveChat) {
        for place in script.book.place(recipients) {
            #expect(place.sequence == model.inboxes[place.user, default: 0] + 1)
            model.inboxes[place.user] = place.sequence
        }
    }

    private func note(_ change: ChatGroupChange?, _ script: inout ChatScript, _ model: inout NaiveChat) {
        guard let change else { return }
        let id = change.group.id, users = change.members.map(\.user)
        var told = model.members[id] ?? []
        switch change.operation {
        case .create, .join:
            model.members[id, default: []].formUnion(users)
            told.formUnion(users)
        case .kick, .quit: model.members[id]?.subtract(users)
        case .dismiss: model.members[id] = nil
        default: break
        }
        #expect(Set(change.recipients.users) == told)
        place(change.recipients, &script, &model)
    }

    private func signIn(
        _ user: Identifier, _ random: inout SeededRandom, _ script: inout ChatScript, _ model: inout NaiveChat
    ) {
        let session = script.session(eventLoopID: Int.random(in: 0..<4, using: &random))
        let signIn = ChatSignIn(
            user: user, device: "d\(Int.random(in: 0..<3, using: &random))",
            deviceClass: ChatDevice.Class.allCases.randomElement(using: &random) ?? .mobile)
        guard let admittance = try? script.book.signIn(session, signIn, at: script.now) else { return }
        model.sessions[user, default: []].append(session)
        model.sessions[user]?.removeAll { admittance.kicked.contains($0) }
        apply(admittance.news, &model)
    }

    /// Open channels as somebody sees them who adds events up.
    private func apply(_ news: ChatNews, _ model: inout NaiveChat) {
        for event in news.open {
            switch event.kind {
            case .members(let actions, _):
                for action in actions {
                    if action.isJoin {
                        #expect(model.rooms[event.channel, default: []].insert(action.user).inserted)
                    } else {
                        #expect(model.rooms[event.channel]?.remove(action.user) != nil)
                    }
                }
            case .destroyed: model.rooms[event.channel] = nil
            default: break
            }
        }
    }

    private func disturb(
        _ step: Int, _ user: Identifier, _ other: Identifier, _ room: Identifier, _ script: inout ChatScript,
        _ model: inout NaiveChat
    ) throws {
        switch step % 6 {
        case 0: try script.issue("t\(step)", to: user)
        case 1: _ = try script.run { try $0.ban([user], minutes: 1, at: $1, into: &$2) }
        case 2: try script.run { book, _, commit in try book.block([other], by: user, into: &commit) }
        case 3: _ = try script.run { try $0.subscribe(to: [other], expiry: 60, by: user, at: $1, into: &$2) }
        case 4:
            if let news = try? script.run({
                try $0.setOpenEntries(
                    ["k\(step % 5)": "v"], in: room, overwrites: false, areDeletedWhenLeft: true, by: .user(user), at: $1,
                    into: &$2)
            }) {
                apply(news, &model)
            }
        default:
            _ = try script.run { book, _, commit in
                try book.set(.group, channel: other, isPinned: step % 4 == 1, level: nil, of: user, into: &commit)
            }
        }
    }

    private func agree(
        _ script: ChatScript, _ model: NaiveChat, _ users: [Identifier], _ groups: [Identifier], _ rooms: [Identifier]
    ) throws {
        let book = script.book
        for group in groups {
            try #require(book.group(group)?.memberCount == model.members[group]?.count)
            guard let info = book.group(group) else { continue }
            let owners = try book.groupMembers(of: group, role: .owner, by: .server()).members
            try #require(owners.map(\.user) == [info.group.owner])
        }
        for user in users {
            try #require(book.sessions(of: user) == model.sessions[user] ?? [])
            let mine = try book.groups(of: user).groups.map(\.group.id)
            try #require(mine == groups.filter { model.members[$0]?.contains(user) == true })
        }
        try #require(book.connectionCount == model.sessions.values.reduce(rooms.count) { $0 + $1.count })
        for room in rooms {
            let inside = Set(try book.participants(of: room, limit: 500).map(\.user))
            try #require(book.participantCount(of: room) == inside.count)
            try #require(inside == model.rooms[room] ?? [])
        }
    }
}
