import Testing

@testable import LifelineCommand

@Suite("doctor: PubNub and Nexconn")
struct DoctorSessionTests {
    @Test("With a server of ours a message goes there and back")
    func good() async throws {
        let server = try await LifelineServerForDoctor.start()
        let pubnub = try await Examination.of(server.url, service: .pubnub)
        let nexconn = try await Examination.of(server.url, service: .nexconn, secret: "app-secret")
        try await server.stop()
        #expect(pubnub.failures == 0 && pubnub.passed.isSuperset(of: [.http, .session, .roundTrip]), "\(pubnub.text)")
        #expect(nexconn.failures == 0 && nexconn.passed.isSuperset(of: [.session, .roundTrip]), "\(nexconn.text)")
        #expect(!nexconn.text.contains("app-secret"))
    }

    @Test("Keys and secrets that are wrong")
    func refused() async throws {
        let server = try await LifelineServerForDoctor.start()
        let pubnub = try await Examination.of(server.url, service: .pubnub, key: "nobody")
        let secret = try await Examination.of(server.url, service: .nexconn, secret: "another")
        let without = try await Examination.of(server.url, service: .nexconn)
        try await server.stop()
        #expect(pubnub.firstFailure == "session: bad-request")
        #expect(secret.firstFailure == "session: access-denied" && !secret.text.contains("another"))
        guard case .skipped? = without[.session], case .skipped? = without[.roundTrip] else {
            Issue.record("\(without.text)")
            return
        }
    }

    @Test func `SO-123: PubNub below a path is examined as far as a client without paths can`() async throws {
        let server = try await ScriptedServer { head in
            head.hasPrefix("GET /here/time/0 ")
                ? .last("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n[17]")
                : .last("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        }
        let right = try await Examination.of("http://127.0.0.1:\(server.port)/here", service: .pubnub)
        #expect(right.failures == 0 && right.passed.contains(.http), "\(right.text)")
        guard case .skipped(let why)? = right[.session], case .skipped? = right[.roundTrip] else {
            Issue.record("\(right.text)")
            return
        }
        #expect(why.contains("Python"))
        let wrong = try await Examination.of("http://127.0.0.1:\(server.port)/there", service: .pubnub)
        #expect(wrong.firstFailure == "http: path-not-found" && wrong.text.contains("/there/time/0"), "\(wrong.text)")
    }

    @Test("What is not the service, or says nothing")
    func wrongServer() async throws {
        let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 20\r\n\r\n<html>sign in</html>"
        let portal = try await ScriptedServer { _ in .last(page) }
        let examination = try await Examination.of(
            "http://127.0.0.1:\(portal.port)", service: .pubnub)
        #expect(examination.firstFailure == "session: not-the-service" && examination.note(.http) == "web-page")
        let mute = try await ScriptedServer { head in
            head.hasPrefix("GET /time/0") ? .last("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n[17]") : .silence
        }
        let silent = try await Examination.of("http://127.0.0.1:\(mute.port)", service: .pubnub, limits: [.session: .seconds(1)])
        #expect(silent.firstFailure == "session: no-answer")
    }
}
