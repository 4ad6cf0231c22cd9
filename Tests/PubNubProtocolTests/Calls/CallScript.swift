import ConnectionEngine
import Testing
import WireCoding

@testable import PubNubProtocol

/// What the tests of calls share: one keyset, and requests as one line.
enum CallScript {
    static let settings = PubNubSettings(
        endpoint: HTTPEndpoint(host: "ps.pndsn.com", port: 443, usesTLS: true), publishKey: "pub", subscribeKey: "sub",
        userID: "u", sdk: "Lifeline/1.0")

    /// Method, path and the call's own parameters.
    static func line(_ call: some PubNubCall, _ settings: PubNubSettings = settings) throws -> String {
        let request = try call.request(settings)
        let query = PubNubRequest.query(request.parameters)
        return request.method + " " + PubNubRequest.path(request.path) + (query.isEmpty ? "" : "?" + query)
    }

    /// The words with which a call is refused before it is sent; nil when it is not.
    static func refusal(_ call: some PubNubCall, _ settings: PubNubSettings = settings) -> String? {
        do throws(PubNubProblem) {
            _ = try call.request(settings)
            return nil
        } catch {
            return error.category == .badRequest ? error.information : "another category: \(error)"
        }
    }

    static func answer<Call: PubNubCall>(_ call: Call, _ body: String) throws(PubNubProblem) -> Call.Answer {
        try call.answer(Array(body.utf8))
    }

    /// What is wrong with an answer; nil for a good one.
    static func problem(_ call: some PubNubCall, _ body: String) -> PubNubProblem? {
        do throws(PubNubProblem) {
            _ = try call.answer(Array(body.utf8))
            return nil
        } catch {
            return error
        }
    }
}

extension JSONText: ExpressibleByStringLiteral {
    /// Text that a test writes; what is no JSON reads as a string.
    public init(stringLiteral text: String) {
        self = (try? JSONText(text)) ?? .string(text)
    }
}
