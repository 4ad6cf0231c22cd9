import ConnectionEngine
import EngineRuntime
import PubNubProtocol
import SocketTestSupport
import Testing

@testable import PubNub

/// Pins and the client's certificate (rules PK-69 and PK-70).
struct CertificateTests {
    private let pin = "sha256/" + String(repeating: "A", count: 43) + "="

    private func values(_ pins: [String]) -> ConfigurationValues {
        let configuration = PNConfiguration(publishKey: "p", subscribeKey: "s")
        configuration.uuid = "me"
        configuration.origin = "127.0.0.1:1"
        configuration.TLSEnabled = true
        configuration.certificatePins = pins
        return configuration.values
    }

    @Test func `pins and certificate reach the subscription's transport`() throws {
        var values = values([pin])
        values.clientCertificate = try ClientCertificate(pem: TestCertificates.client, key: TestCertificates.clientKey)
        #expect(values.transport.pins != nil && values.transport.certificate == values.clientCertificate)
        #expect(values.problem == nil)
        #expect(self.values([]).transport.pins == nil && self.values([]).problem == nil)
    }

    @Test func `with a text that is no pin every call is refused, and nothing is sent`() async {
        let calls = PubNubEngineAssembly.live.makeCalls(values([pin, "no-pin"]))
        #expect(calls is RefusingCalls)
        let client = PubNub(values(["no-pin"]), queue: .inline, assembly: .live)
        let error = await #expect(throws: PNCallError.self) { _ = try await client.serviceTime() }
        #expect(error?.category == .PNBadRequestCategory && error?.description.contains("no-pin") == true)
    }

    @Test func `with a text that is no pin the subscription ends every attempt itself`() async throws {
        let problem = try #require(values(["no-pin"]).problem)
        #expect(problem.category == .badRequest)
        #expect(values(["no-pin"]).policy(seed: 1).schedule(for: problem) == .never)
        #expect(values([pin]).policy(seed: 1).schedule(for: problem) != .never)
        let transport = RefusingTransport<PubNubSession>(problem)
        let failure = await withCheckedContinuation { told in
            transport.open(HTTPEndpoint(host: "h", port: 1, usesTLS: true), attempt: AttemptID(1)) { event in
                if case .closed(let failure) = event { told.resume(returning: failure) }
            }
        }
        #expect(failure == problem)
    }
}
