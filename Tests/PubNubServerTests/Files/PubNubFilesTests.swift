import Foundation
import NIOCore
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Files over HTTP (rules FI-1 to FI-30)", .timeLimit(.minutes(2)))
struct PubNubFilesTests {
    private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

    @Test("A file is uploaded, listed, downloaded by a redirect, and deleted", arguments: ["cat.png", "caf\u{E9} & \"x\"?.txt"])
    func whole(name: String) async throws {
        try await withServer { server in
            let client = FileClient(server: server)
            let content = Self.bytes(300_000)
            let upload = try await client.upload(name)
            #expect(upload.fields.map(\.key) == ["key", "Content-Type", "Policy", "Signature"])
            #expect(upload.fields[1].value == (name == "cat.png" ? "image/png" : "text/plain; charset=utf-8"))
            #expect(upload.url == server.url + "/v1/files/demo/upload")
            // Nobody finds it before it is there.
            #expect(try await client.names() == [])
            #expect(try await client.download(upload.id, name).status == 404)
            let sent = try await client.send(upload, content)
            #expect(sent.status == 204 && sent.bytes.isEmpty)
            let listed = try await client.list()
            #expect(
                listed.type == "application/json" && listed.json?["next"]?.isNull == true && listed.json?["count"]?.integer == 1)
            let item = try #require(listed.json?["data"]?.elements?.first)
            #expect(item["name"]?.string == name && item["id"]?.string == upload.id && item["size"]?.integer == 300_000)
            #expect(item["created"]?.string?.wholeMatch(of: /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
            let download = try await client.download(upload.id, name)
            #expect(download.status == 200 && download.bytes == content && download.type == upload.fields[1].value)
            #expect(
                download.field("x-content-type-options") == "nosniff" && download.field("content-disposition") == "attachment")
            // With the id of one file nobody gets another name or channel.
            #expect(try await client.download(upload.id, "other").status == 404)
            #expect(try await client.download(upload.id, name, on: "lobby").status == 404)
            #expect(try await client.ask("DELETE", client.path(upload.id, name, on: "lobby")).status == 404)
            let deleted = try await client.ask("DELETE", client.path(upload.id, name))
            #expect(deleted.status == 200 && deleted.body == #"{"status":200}"#)
            #expect(try await client.names() == [])
            #expect(try await client.download(upload.id, name).status == 404)
            #expect(try await client.ask("DELETE", client.path(upload.id, name)).status == 404)
        }
    }

    @Test("The redirect leads to this server as the client calls it, and its link is good for this file only (FI-15)")
    func redirect() async throws {
        try await withServer(quietApplication, { ($0.pathPrefix, $0.trustsProxyHeaders) = ("/realtime", true) }) { server in
            let client = FileClient(server: server)
            // The test's client knows no prefix; what it is told contains it.
            let body = ByteBuffer(string: #"{"name":"a.txt"}"#)
            let raw = try await PollClient.connect(server)
            let generated = try await raw.post(
                "/realtime/v1/files/demo/channels/room/generate-upload-url", body, "X-Forwarded-Proto: https\r\n")
            #expect(generated.body.contains(#""url":"https://a/realtime/v1/files/demo/upload""#), "\(generated.body)")
            let upload = try await PollClient.connect(server).post(
                "/realtime/v1/files/demo/channels/room/generate-upload-url", body)
            let json = try JSONText(upload.body)
            let fields = (json["file_upload_request"]?["form_fields"]?.elements ?? []).map {
                ($0["key"]?.string ?? "", $0["value"]?.string ?? "")
            }
            let id = try #require(json["data"]?["id"]?.string)
            let form = FileClient.form(.init(id: id, url: "", fields: fields), Array("hello".utf8))
            let sent = try await client.ask("POST", server.url + "/realtime/v1/files/demo/upload", form, type: FileClient.type)
            #expect(sent.status == 204, "\(sent.body) \(server.url)")
            try await raw.send("/realtime/v1/files/demo/channels/room/files/\(id)/a.txt", "X-Forwarded-Proto: https\r\n")
            let found = try await raw.reply()
            // A line break of a head is one character, CR and LF together, which neither of both matches.
            let location = String(
                try #require(found.head.firstMatch(of: /Location: https:\/\/a(\/realtime\/v1\/files\/demo\/content\/\S+)/)?.1))
            #expect(found.status == 307 && found.body.isEmpty)
            let caching = found.head.matches(of: /cache-control: .*/.ignoresCase()).map { String($0.0) }
            #expect(caching == ["cache-control: no-store"])
            #expect(try await raw.get(location).body == "hello")
            for bad in [
                location.replacing("signature=", with: "signature=0"), location.replacing("expires=", with: "expires=1"),
                location.replacing(id, with: "00000000-0000-0000-0000-000000000000"), String(location.prefix { $0 != "?" }),
            ] {
                #expect(try await raw.get(bad).status == 403, "\(bad)")
            }
        }
    }

    @Test(
        "A file has the bytes that the keyset allows and no more; the next byte is EntityTooLarge, by the form and by the body (FI-4)"
    )
    func size() async throws {
        var keyset = Keyset.development
        keyset.fileBytes = 1_500_000
        try await withServer(quietApplication, { $0.keysets = [keyset] }) { server in
            let client = FileClient(server: server)
            let content = Self.bytes(1_500_000)
            let id = try await client.store("a", content)
            #expect(try await client.download(id, "a").bytes == content)
            for size in [1_500_001, 3_000_000] {
                let answer = try await client.send(client.upload("b"), Self.bytes(size))
                #expect(answer.status == 400 && answer.type == "application/xml", "\(size) \(answer)")
                #expect(
                    answer.body.contains(
                        "<Code>EntityTooLarge</Code><Message>Your proposed upload exceeds the maximum allowed size</Message>"))
            }
            #expect(try await client.names() == ["a"])
            // Other paths keep their limit.
            #expect(try await client.ask("POST", "/publish/demo/demo/0/room/0", Self.bytes(400_000)).status == 413)
            // Nothing is kept for bodies that are gone.
            await eventually { server.services.context.bodies.reservedBytes == 0 }
        }
    }

    @Test("Only an upload that was given out is taken, within its time; what is wrong with another is said in XML (FI-10, FI-11)")
    func uploads() async throws {
        let clock = ManualClock()
        try await withServer(quietApplication, { $0.clock = clock.timeOfDayOnly }) { server in
            let client = FileClient(server: server)
            let upload = try await client.upload("a")
            func refusal(_ change: (inout FileClient.Upload) -> Void) async throws -> String {
                var changed = upload
                change(&changed)
                let answer = try await client.send(changed, [1])
                return "\(answer.status) " + (answer.body.firstMatch(of: /<Code>(\w+)<\/Code>/)?.1.description ?? answer.body)
            }
            #expect(try await refusal { $0.fields.removeLast() } == "400 MalformedPOSTRequest")
            #expect(try await refusal { $0.fields[3].value += "0" } == "403 SignatureDoesNotMatch")
            #expect(
                try await refusal { $0.fields[2].value = $0.fields[2].value.replacing("5242880", with: "9242880") }
                    == "403 SignatureDoesNotMatch")
            #expect(try await refusal { $0.url = server.url + "/v1/files/other/upload" }.hasPrefix("400 {"))
            let noForm = try await client.ask("POST", upload.url, [1], type: "text/plain")
            #expect(noForm.status == 400 && noForm.body.contains("MalformedPOSTRequest"))
            let wrongMethod = try await client.ask("GET", upload.url)
            #expect(wrongMethod.status == 405)
            #expect(try await client.send(upload, [1]).status == 204)
            // Sent again because its answer was lost; what is there stays.
            #expect(try await client.send(upload, [2, 2]).status == 204)
            #expect(try await client.download(upload.id, "a").bytes == [1])
            let late = try await client.upload("b")
            clock.advance(by: 61)
            let expired = try await client.send(late, [1])
            #expect(expired.status == 403 && expired.body.contains("<Code>AccessDenied</Code>"))
            #expect(try await client.names() == ["a"])
        }
    }

    @Test("All files have the storage of the keyset; deleting makes room, and no storage means no files (FI-5)")
    func storage() async throws {
        var keyset = Keyset.development
        keyset.fileStorage = 1000
        try await withServer(quietApplication, { $0.keysets = [keyset] }) { server in
            let client = FileClient(server: server)
            let id = try await client.store("a", Self.bytes(600))
            let full = try await client.send(client.upload("b"), Self.bytes(401))
            #expect(full.status == 403 && full.body.contains("<Code>QuotaExceeded</Code>"))
            _ = try await client.store("c", Self.bytes(400))
            #expect(try await client.generate("d").status == 403)
            #expect(try await client.ask("DELETE", client.path(id, "a")).status == 200)
            _ = try await client.store("d", Self.bytes(600))
            keyset.fileStorage = 0
            try await server.replace(keysets: [keyset])
            #expect(try await client.generate("e").status == 402)
        }
    }

    @Test("Lists come in pages, newest first (FI-12)")
    func pages() async throws {
        try await withServer { server in
            let client = FileClient(server: server)
            for number in 0..<5 { _ = try await client.store("f\(number)", [1]) }
            _ = try await client.store("other", [1], on: "lobby")
            var (names, next): ([String], String?) = ([], "")
            while let cursor = next {
                let page = try await client.list("&limit=2" + (cursor.isEmpty ? "" : "&next=" + cursor))
                names += (page.json?["data"]?.elements ?? []).compactMap { $0["name"]?.string }
                next = page.json?["next"]?.string
            }
            #expect(names == ["f4", "f3", "f2", "f1", "f0"])
            #expect(try await client.list("&next=nonsense").status == 400)
            #expect(try await client.list("&limit=0").json?["count"]?.integer == 5)
        }
    }

    @Test(
        "What is refused before anything is uploaded",
        arguments: [
            ("room", #"{"name":""}"#, 400), ("room", #"{"name":"a/b"}"#, 400), ("room", "{}", 400), ("room", "", 400),
            ("room", #"{"name":1}"#, 400), ("a-pnpres", #"{"name":"a"}"#, 400), ("a.*", #"{"name":"a"}"#, 400),
        ])
    func refused(channel: String, body: String, status: Int) async throws {
        try await withServer { server in
            let client = FileClient(server: server)
            let answer = try await client.ask(
                "POST", "/v1/files/demo/channels/\(channel)/generate-upload-url", Array(body.utf8))
            #expect(answer.status == status && answer.type == "application/json")
            #expect(answer.json?["error"]?["source"]?.string == "Files")
        }
    }

    @Test("With the access manager, uploading needs write, listing and downloading read, deleting delete (FI-13)")
    func access() async throws {
        let clock = ManualClock()
        try await withServer(quietApplication, { ($0.keysets, $0.clock) = ([PubNubAccessTests.guarded], clock.clock) }) {
            server in
            func client(_ rights: Int) async throws -> FileClient {
                let body = #"{"ttl":15,"permissions":{"resources":{"channels":{"room":\#(rights)}},"patterns":{}}}"#
                let target = PubNubHeldAccessTests.signed("/v3/pam/demo/grant", method: "POST", body: body, at: clock)
                let granted = try await server.request("POST", target, body: body)
                let token = try #require(granted.body.firstMatch(of: /"token":"([^"]+)"/)?.1, "\(granted.body)")
                return FileClient(server: server, auth: "&auth=" + token.replacing("=", with: "%3D"))
            }
            let (reader, writer, deleter) = (try await client(1), try await client(2), try await client(8))
            for other in [FileClient(server: server), reader, deleter] { #expect(try await other.generate("a").status == 403) }
            let id = try await writer.store("a", [1])
            for other in [FileClient(server: server), writer, deleter] {
                #expect(try await other.list().status == 403)
                #expect(try await other.download(id, "a").status == 403)
            }
            #expect(try await reader.names() == ["a"])
            #expect(try await reader.download(id, "a").bytes == [1])
            for other in [FileClient(server: server), reader, writer] {
                #expect(try await other.ask("DELETE", other.path(id, "a")).status == 403)
            }
            #expect(try await deleter.ask("DELETE", deleter.path(id, "a")).status == 200)
        }
    }

    @Test("One address adds half of what a keyset may keep, and more once it deletes (PV-180)")
    func share() async throws {
        var keyset = Keyset.development
        keyset.fileStorage = 1000
        try await withServer(quietApplication, { ($0.keysets, $0.limitsLoopback) = ([keyset], true) }) { server in
            let client = FileClient(server: server)
            let first = try await client.store("a", Self.bytes(400))
            let upload = try await client.upload("b")
            let refused = try await client.send(upload, Self.bytes(200))
            #expect(refused.status == 403 && refused.body.contains("One address has uploaded half"))
            #expect(try await client.names() == ["a"])
            #expect(try await client.ask("DELETE", client.path(first, "a")).status == 200)
            #expect(try await client.send(upload, Self.bytes(200)).status == 204)
        }
    }

    @Test("A form does not bring its file back once the file is deleted (FI-25)")
    func formOfDeletedFile() async throws {
        try await withServer { server in
            let client = FileClient(server: server)
            let upload = try await client.upload("a")
            #expect(try await client.send(upload, [1]).status == 204)
            #expect(try await client.send(upload, [2]).status == 204)
            #expect(try await client.ask("DELETE", client.path(upload.id, "a")).status == 200)
            let again = try await client.send(upload, [3])
            #expect(again.status == 403 && again.body.contains("<Code>AccessDenied</Code>"))
            #expect(try await client.names() == [])
        }
    }

    @Test(
        "While there is no room for large bodies, uploads and downloads of large files are put off, and small ones go on (SV-80)")
    func noRoom() async throws {
        try await withServer { server in
            let client = FileClient(server: server)
            let id = try await client.store("large", Self.bytes(2 << 20))
            let small = try await client.store("small", [1])
            await eventually { server.services.context.bodies.reservedBytes == 0 }
            let all = server.services.context.bodies.reserve(256 << 20)
            let upload = try await client.send(client.upload("b"), Self.bytes(2 << 20))
            #expect(upload.status == 503 && upload.body.contains("<Code>SlowDown</Code>") && upload.field("retry-after") == "5")
            #expect(try await client.download(id, "large").status == 503)
            #expect(try await client.download(small, "small").bytes == [1])
            _ = withExtendedLifetime(all) { all != nil }
        }
    }
}
