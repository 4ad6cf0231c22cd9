import ConnectionEngine
import PubNubProtocol
import Testing

@testable import PubNub

/// What listeners are told, status by status (rules PK-20 to PK-27).
struct StatusSequenceTests {
    private let fixture = Fixture()
    private let room = PubNubList(channels: ["a"])

    private func subscribed() {
        fixture.client.subscribeToChannels(["a"], withPresence: false)
        fixture.engine.confirm(room)
    }

    @Test func `the first confirmation says connected with list and timetokens`() throws {
        fixture.client.subscribeToChannels(["a"], withPresence: true)
        #expect(fixture.engine.log == ["subscribe a,a-pnpres", "connect"])
        fixture.engine.confirm(PubNubList(channels: ["a", "a-pnpres"]), previous: 0, current: 15)
        #expect(fixture.listener.lines == ["Connected [a,a-pnpres]"])
        let status = try #require(fixture.listener.statuses.first as? PNSubscribeStatus)
        #expect(status.currentTimetoken == 15)
        #expect(status.lastTimeToken == 0)
        #expect(!status.isError && !status.willAutomaticallyRetry && status.statusCode == 200)
        #expect(status.uuid == "me" && status.origin == "ps.pndsn.com" && status.isTLSEnabled)
    }

    @Test func `every confirmed change of the list says connected again`() {
        subscribed()
        fixture.client.subscribeToChannels(["b"], withPresence: false)
        fixture.engine.tell(.subscribed(PubNubList(channels: ["a", "b"]), previous: .start, current: .start, isRenewal: false))
        #expect(fixture.listener.lines == ["Connected [a]", "Connected [a,b]"])
    }

    @Test(arguments: [
        (StatusCategory.timeout, 408), (.networkUnavailable, -1), (.malformedResponse, 500), (.tlsFailed, 525),
        (.tlsUntrusted, 526), (.unexpectedDisconnect, 200),
    ])
    func `a loss is an unexpected disconnect without an error, then a reconnect`(category: StatusCategory, code: Int) throws {
        subscribed()
        fixture.engine.fail(.lost(category), retryIn: .milliseconds(250))
        fixture.engine.confirm(room, isRenewal: true)
        #expect(fixture.listener.lines == ["Connected [a]", "Unexpected Disconnect ~ [a]", "Reconnected [a]"])
        let loss = fixture.listener.statuses[1]
        #expect(loss.statusCode == code)
        #expect(loss.attempt == 1)
        #expect(loss.retryDelay == 0.25)
        #expect(loss.failure?.category == category.rawValue)
    }

    @Test(arguments: [400, 404, 500, 503]) func `refusals of the service are unexpected disconnects with their code`(code: Int) {
        subscribed()
        fixture.engine.fail(.http(code, code == 400 ? .badRequest : .unknown))
        #expect(fixture.listener.lines.last == "Unexpected Disconnect ~ [a]")
        #expect(fixture.listener.statuses.last?.statusCode == code)
    }

    @Test func `each failed attempt is told, with its number and the pause that follows`() {
        fixture.client.subscribeToChannels(["a"], withPresence: false)
        for attempt in 1...3 {
            fixture.engine.phase(.connecting)
            fixture.engine.fail(.lost(.networkUnavailable), retryIn: .seconds(attempt))
        }
        #expect(fixture.listener.lines == Array(repeating: "Unexpected Disconnect ~ [a]", count: 3))
        #expect(fixture.listener.statuses.map(\.attempt) == [1, 2, 3])
        #expect(fixture.listener.statuses.map(\.retryDelay) == [1, 2, 3])
    }

    @Test func `exhausted retries are told without a promise`() {
        subscribed()
        fixture.engine.fail(.lost(.timeout))
        fixture.engine.phase(.connecting)
        fixture.engine.phase(.failed, cause: PubNubProblem.lost(.timeout).failure)
        #expect(fixture.listener.lines.suffix(2) == ["Unexpected Disconnect ~ [a]", "Unexpected Disconnect [a]"])
    }

    @Test func `denied access names channels and groups and is retried`() throws {
        fixture.client.subscribeToChannels(["a"], withPresence: false)
        fixture.engine.phase(.connecting)
        fixture.engine.fail(.http(403, .accessDenied, channels: ["a"], groups: [":g"]))
        #expect(fixture.listener.lines == ["Access Denied ! ~ [a]"])
        let status = try #require(fixture.listener.statuses.first as? PNErrorStatus)
        #expect(status.errorData.channels == ["a"])
        #expect(status.errorData.channelGroups == [":g"])
        #expect(status.errorData.information == "Forbidden")
        #expect(status.statusCode == 403)
        // After a grant: connected, not reconnected.
        fixture.engine.confirm(room, isRenewal: true)
        #expect(fixture.listener.lines.last == "Connected [a]")
    }

    @Test func `cancelling while waiting ends the retries and says nothing more`() {
        subscribed()
        fixture.engine.fail(.http(403, .accessDenied))
        fixture.engine.forgetLog()
        fixture.listener.statuses.last?.cancelAutomaticRetry()
        #expect(fixture.engine.log == ["cancelRetry"])
        fixture.engine.phase(.failed, cause: PubNubProblem.http(403, .accessDenied).failure)
        #expect(fixture.listener.lines == ["Connected [a]", "Access Denied ! ~ [a]"])
    }

    @Test func `cancelling while an attempt is under way counts when it fails`() {
        subscribed()
        fixture.engine.fail(.http(403, .accessDenied))
        fixture.engine.phase(.connecting)
        fixture.engine.forgetLog()
        fixture.listener.statuses.last?.cancelAutomaticRetry()
        #expect(fixture.engine.log.isEmpty)
        fixture.engine.fail(.http(403, .accessDenied))
        #expect(fixture.engine.log == ["cancelRetry"])
        #expect(fixture.listener.lines.count == 2)
    }

    @Test func `cancelling while an attempt is under way is forgotten when it succeeds`() {
        subscribed()
        fixture.engine.fail(.lost(.timeout))
        fixture.engine.phase(.connecting)
        fixture.listener.statuses.last?.cancelAutomaticRetry()
        fixture.engine.confirm(room, isRenewal: true)
        fixture.engine.fail(.lost(.timeout))
        #expect(fixture.listener.lines.suffix(2) == ["Reconnected [a]", "Unexpected Disconnect ~ [a]"])
    }

    @Test(arguments: [
        (481, StatusCategory.malformedFilter, "Malformed Filter Expression"), (414, .requestTooLong, "Request-URI Too Long"),
    ])
    func `what retrying does not mend is an error that stops`(code: Int, category: StatusCategory, text: String) {
        subscribed()
        let problem = PubNubProblem.http(code, category)
        fixture.engine.tell(.problem(problem))
        fixture.engine.phase(.failed, cause: problem.failure)
        #expect(fixture.listener.lines.last == "\(text) ! [a]")
        #expect(fixture.listener.statuses.last?.statusCode == code)
        fixture.engine.forgetLog()
        fixture.client.filterExpression = "a == 1"
        #expect(fixture.engine.log == ["filter a == 1", "connect"])
        fixture.engine.confirm(room)
        #expect(fixture.listener.lines.last == "Connected [a]")
    }

    @Test func `statuses of the subscription have nothing to retry by hand`() {
        subscribed()
        fixture.engine.fail(.lost(.timeout))
        fixture.engine.forgetLog()
        fixture.listener.statuses.last?.retry()
        #expect(fixture.engine.log.isEmpty)
    }

    @Test func `an optional status has a category`() {
        let none: PNErrorStatus? = nil
        #expect(none.category == .PNUnknownCategory)
        fixture.engine.fail(.http(403, .accessDenied))
        let some = fixture.listener.statuses.last as? PNErrorStatus
        #expect(some.category == .PNAccessDeniedCategory)
    }
}
