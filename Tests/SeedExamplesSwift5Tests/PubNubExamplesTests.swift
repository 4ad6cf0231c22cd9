import ConnectionEngine
import Foundation
import PubNubProtocol
import Testing

@testable import PubNub

/// Runs the examples of PubNub's page on status events against a scripted service: each does what its page says.
struct PubNubExamplesTests {
    private let service = ScriptedService()

    private func problem(_ category: StatusCategory, _ status: Int? = nil) -> PubNubProblem {
        PubNubProblem(
            ConnectionFailure(category, "Scripted.", httpStatus: status), channels: status == 403 ? ["my_channel"] : [],
            channelGroups: status == 403 ? [":my_group"] : [])
    }

    private func listen(_ listener: any StatusListener & PNObjectEventListener, cipherKey: String? = nil) -> PubNub {
        let client = service.client(cipherKey: cipherKey)
        client.addListener(listener)
        client.subscribeToChannels(["my_channel"], withPresence: false)
        return client
    }

    // MARK: Delegate callbacks

    @Test(arguments: [false, true]) func `denied access names channels and groups and retries until stopped`(stops: Bool) {
        let listener = StatusListenerExamples.AccessDenied()
        listener.stopsAutoRetry = stops
        let client = listen(listener)
        service.refuse(problem(.accessDenied, 403))
        #expect(listener.heard == ["Access Denied"])
        #expect(listener.channels == ["my_channel"] && listener.groups == [":my_group"])
        #expect(service.commands.contains("cancelRetry") == stops)
        withExtendedLifetime(client) {}
    }

    @Test(arguments: [StatusCategory.timeout, .malformedResponse, .tlsFailed, .tlsUntrusted, .unexpectedDisconnect])
    func `other failures of a subscription are unexpected disconnects`(category: StatusCategory) {
        let listener = StatusListenerExamples.UnexpectedDisconnect()
        listener.stopsAutoRetry = true
        let client = listen(listener)
        service.refuse(problem(category))
        #expect(listener.heard == ["Unexpected Disconnect"])
        #expect(service.commands.last == "cancelRetry")
        withExtendedLifetime(client) {}
    }

    @Test func `network issues report offline`() {
        let listener = StatusListenerExamples.NetworkIssues()
        let client = listen(listener)
        service.refuse(problem(.networkUnavailable))
        #expect(listener.heard == ["offline"])
        withExtendedLifetime(client) {}
    }

    @Test func `a bad request of a subscription is an unexpected disconnect`() {
        let listener = StatusListenerExamples.BadRequest()
        let client = listen(listener)
        service.refuse(problem(.badRequest, 400))
        #expect(listener.heard == ["400"])
        withExtendedLifetime(client) {}
    }

    @Test func `a malformed filter is told and not retried`() {
        let listener = StatusListenerExamples.MalformedFilter()
        let client = listen(listener)
        service.refuse(problem(.malformedFilter, 481), isFinal: true)
        #expect(listener.heard == ["Malformed Filter Expression"])
        withExtendedLifetime(client) {}
    }

    @Test func `a message that cannot be decrypted is handed over as it came`() throws {
        let listener = StatusListenerExamples.DecryptionError()
        let client = listen(listener, cipherKey: "mine")
        let sealed = try PubNubCipher(key: "theirs", usesRandomIV: false).encrypt(message: #""hello""#)
        service.deliver(sealed, on: "my_channel")
        #expect(listener.heard == ["my_channel"])
        let text = try #require(listener.message as? String)
        #expect(PNAES.decrypt(text, withKey: "theirs") == Data(#""hello""#.utf8))
        withExtendedLifetime(client) {}
    }

    // MARK: Completion blocks

    @Test func `denied access is retried twice by hand, then reported`() {
        service.answer((403, #"{"message":"Forbidden"}"#))
        let examples = CompletionExamples(client: service.client())
        var reported: [PNStatusCategory] = []
        examples.accessDenied { reported.append($0.category) }
        #expect(reported == [.PNAccessDeniedCategory])
        #expect(service.calls == 3)
    }

    @Test func `a retry that succeeds is the end`() {
        service.answer((403, "{}"), (200, #"[1,"Sent","17"]"#))
        let examples = CompletionExamples(client: service.client())
        var reported = 0
        examples.accessDenied { _ in reported += 1 }
        #expect(reported == 0)
        #expect(service.calls == 2)
    }

    @Test func `a malformed response is retried twice by hand, then reported`() {
        service.answer((200, "<html>Please sign in.</html>"))
        let examples = CompletionExamples(client: service.client())
        var reported = 0
        examples.malformedResponse { _ in reported += 1 }
        #expect(reported == 1)
        #expect(service.calls == 3)
    }

    @Test func `failures of the network are retried twice by hand, then reported`() {
        let examples = CompletionExamples(client: service.client())
        var reported: [PNStatusCategory] = []
        service.fail(.timeout)
        examples.timeout { reported.append($0.category) }
        service.fail(.tlsFailed)
        examples.tlsConnectionFailed { reported.append($0.category) }
        service.fail(.tlsUntrusted)
        examples.tlsUntrusted { reported.append($0.category) }
        #expect(reported == [.PNTimeoutCategory, .PNTLSConnectionFailedCategory, .PNTLSUntrustedCertificateCategory])
        #expect(service.calls == 9)
        service.fail(.networkUnavailable)
        examples.networkIssues { reported.append($0.category) }
        #expect(reported.last == .PNNetworkIssuesCategory)
    }

    @Test func `a refused request is a bad request`() {
        service.answer((400, #"{"message":"Invalid Key"}"#))
        let examples = CompletionExamples(client: service.client())
        var reported: [String] = []
        examples.badRequest { reported.append(($0 as? PNErrorStatus)?.errorData.information ?? "-") }
        #expect(reported == ["Invalid Key"])
    }

    @Test func `history that cannot be decrypted is handed over as it came`() throws {
        let sealed = try PubNubCipher(key: "theirs").encrypt(message: #""hello""#)
        service.answer((200, "[[\(sealed)],15,17]"))
        let examples = CompletionExamples(client: service.client(cipherKey: "mine"))
        var messages: [Any] = []
        examples.decryptionError { messages = $0 }
        #expect(messages.count == 1)
        #expect(messages.first as? String == sealed.trimmingCharacters(in: CharacterSet(charactersIn: "\"")))
    }

    // MARK: Network lifecycle

    @Test func `subscribing to an empty list forces a reconnect`() {
        let listener = StatusListenerExamples.NetworkIssues()
        let client = listen(listener)
        service.confirm("my_channel")
        CompletionExamples(client: client).forceReconnect()
        #expect(service.commands == ["subscribe my_channel", "subscribe "])
    }
}
