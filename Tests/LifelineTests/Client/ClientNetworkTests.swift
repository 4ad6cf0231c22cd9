import HTTPTransport
import Testing
import TransportCommon

@testable import Lifeline

@Suite("A client's network settings")
struct ClientNetworkTests {
    @Test("LL-29: authorities, pins, proxy and times reach both kinds of connection")
    func everywhere() throws {
        let pins = try CertificatePins(["sha256/" + String(repeating: "A", count: 43) + "="])
        let proxy = HTTPProxy(host: "proxy", port: 8080)
        let options = ClientOptions(
            timing: .fast, certificateAuthorityFile: "/ca.pem", certificatePins: pins, proxy: proxy)
        let (socket, poll) = (options.webSocket, options.longPoll)
        #expect(socket.trustRoots == .file("/ca.pem") && poll.trustRoots == .file("/ca.pem"))
        #expect(socket.pins == pins && poll.pins == pins)
        #expect(socket.proxy == proxy && poll.proxy == proxy)
        #expect(socket.connectTimeout == .seconds(3) && poll.connectTimeout == .seconds(3))
        #expect(options.httpCaller(bodyLimit: 7).bodyLimit == 7)
    }

    @Test("Without settings the system's authorities count, and nothing goes between")
    func defaults() {
        let options = ClientOptions()
        #expect(options.webSocket.trustRoots == .system && options.webSocket.pins == nil && options.webSocket.proxy == nil)
        #expect(!options.requiresEncryption)
    }
}
