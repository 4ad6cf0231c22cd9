import ChatProtocol
import Testing

@Suite("Answers to requests (rule NP-16)")
struct ChatAnswerTests {
    private func answer(_ result: ChatResult) throws -> ChatAnswer {
        guard case .answer(7, let answer) = FrameCatalogue.read(ChatServerFrames.ok(7, result)) else {
            throw ChatRequestRefusal(.unknown, "no answer")
        }
        return answer
    }

    @Test("Every answer is read as it was written", arguments: FrameCatalogue.results)
    func roundTrips(result: ChatResult) throws {
        let answer = try answer(result)
        switch result {
        case .done: #expect(answer.json == Array(#"{"t":"ok","n":7}"#.utf8))
        case .sent(let id, let sequence):
            #expect(answer.id == id)
            #expect(answer.sequence == sequence)
            #expect(answer.time == id.time)
        case .edited(let time): #expect(answer.time == time)
        case .process(let code): #expect(answer.process == code)
        case .receipts(let receipts): #expect(answer.receipts == receipts)
        case .receiptUsers(let users): #expect(answer.receiptUsers == users)
        case .history(_, let hasMore):
            #expect(answer.history?.messages == [FrameCatalogue.message, FrameCatalogue.plain])
            #expect(answer.history?.hasMore == hasMore)
        case .settings(let list): #expect(answer.settings == list)
        case .groups(let groups):
            #expect(answer.groups?.groups == groups)
            #expect(answer.groups?.hasMore == false)
        case .groupPage(let groups, let hasMore):
            #expect(answer.groups?.groups == groups)
            #expect(answer.groups?.hasMore == hasMore)
        case .members(let members, let hasMore):
            #expect(answer.members?.members == members)
            #expect(answer.members?.hasMore == hasMore)
        case .entrance(let entrance, _): #expect(answer.entrance(of: "o1") == entrance)
        case .openInfo(let info): #expect(answer.openInfo == info)
        case .openMetadata(let entries): #expect(answer.openMetadata == entries)
        case .users(let users): #expect(answer.users == users)
        case .failed(let users): #expect(answer.failed == users)
        case .subscriptions(let subscriptions): #expect(answer.subscriptions == subscriptions)
        case .blocklist(let users): #expect(answer.blocklist == users)
        }
    }

    @Test("What is missing or of another kind is nil")
    func missing() {
        let empty = ChatAnswer(json: Array(#"{"t":"ok","n":7,"id":5,"messages":{},"users":"x","more":true}"#.utf8))
        #expect(empty.id == nil)
        #expect(empty.sequence == nil)
        #expect(empty.history == nil)
        #expect(empty.users == nil)
        #expect(empty.blocklist == nil)
        #expect(empty.groups == nil)
        #expect(empty.entrance(of: "o") == nil)
    }

    @Test("A message of history that cannot be read does not cost the others")
    func history() {
        let bodies = [Array(#"{"k":"msg","id":"x"}"#.utf8), FrameCatalogue.plain.body]
        let json = ChatServerFrames.ok(7, .history(bodies, hasMore: false))
        #expect(ChatAnswer(json: json).history?.messages == [FrameCatalogue.plain])
    }

    @Test("Text that is no JSON has no members", arguments: ["", "{", "[]", "\u{0}", #"{"id":"5""#])
    func broken(text: String) {
        #expect(ChatAnswer(json: Array(text.utf8)).id == nil)
        #expect(ChatAnswer(json: [0xFF, 0xFE]).users == nil)
    }
}
