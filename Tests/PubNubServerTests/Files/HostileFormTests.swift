import NIOCore
import Testing

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Forms that nobody has signed, over a socket (FI-30, FI-31, SV-85)", .timeLimit(.minutes(2)))
struct HostileFormTests {
    private func send(_ server: LifelineServer, _ body: String, boundary: String = "X") async throws -> PollClient.Reply {
        try await PollClient.connect(server).post(
            "/v1/files/demo/upload", ByteBuffer(string: body), "Content-Type: multipart/form-data; boundary=\(boundary)\r\n")
    }

    @Test("A line of a head that reaches just behind the limit of a head gets 400, and the server lives")
    func crossing() async throws {
        try await withServer { server in
            for length in 4_088...4_100 {
                let reply = try await send(
                    server,
                    "--X\r\n" + String(repeating: "a", count: length)
                        + "\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\nv\r\n--X--\r\n"
                        + String(repeating: "b", count: 6_000))
                #expect(reply.status == 400 && reply.body.contains("MalformedPOSTRequest"), "\(length) \(reply)")
            }
            #expect(try await server.request("GET", "/health").status == 200)
        }
    }

    @Test("The policy and its signature are judged before the file is looked at (FI-31)")
    func order() async throws {
        try await withServer { server in
            let fields =
                "--X\r\nContent-Disposition: form-data; name=\"Policy\"\r\n\r\np\r\n"
                + "--X\r\nContent-Disposition: form-data; name=\"Signature\"\r\n\r\ns\r\n"
            let file = "--X\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n" + String(repeating: "\r\n--", count: 50_000)
            // The form has no end, which only somebody finds who reads the file.
            let unsigned = try await send(server, fields + file)
            #expect(unsigned.status == 403 && unsigned.body.contains("SignatureDoesNotMatch"), "\(unsigned)")
            let client = FileClient(server: server)
            let upload = try await client.upload("a")
            let signed = String(decoding: FileClient.form(upload, []), as: UTF8.self).replacing("\r\n--BoUnD--\r\n", with: "x")
            let unfinished = try await client.ask("POST", upload.url, Array(signed.utf8), type: FileClient.type)
            #expect(unfinished.status == 400 && unfinished.body.contains("MalformedPOSTRequest"), "\(unfinished)")
            #expect(try await client.send(upload, [1]).status == 204)
        }
    }
}
