import Testing

@testable import PubNubProtocol

@Suite("Files of PubNub")
struct PubNubFileCallTests {
    static let file = PubNubFileName(channel: "c", id: "id-1", name: "king arthur.txt")

    @Test("Where to upload is asked by name (PL-55)")
    func upload() throws {
        let call = PubNubUploadCall(channel: "c", name: "king \"a\".txt")
        #expect(try CallScript.line(call) == "POST /v1/files/sub/channels/c/generate-upload-url")
        #expect(try call.request(CallScript.settings).body == Array(#"{"name":"king \"a\".txt"}"#.utf8))
        let body = #"""
            {"status":200,"data":{"id":"id-1","name":"n.txt"},"file_upload_request":{"url":"https://s3.example/b","method":"POST",
            "expiration_date":"2020-11-25T14:37:06Z","form_fields":[{"key":"tagging","value":"<T>"},{"key":"X-Amz-Security-Token","value":""}]}}
            """#
        let upload = try CallScript.answer(call, body)
        #expect(upload.file == PubNubFileName(channel: "c", id: "id-1", name: "n.txt"))
        #expect(upload.url == "https://s3.example/b")
        #expect(upload.fields == [.init(key: "tagging", value: "<T>"), .init(key: "X-Amz-Security-Token", value: "")])
        #expect(CallScript.problem(call, #"{"status":200,"data":{}}"#)?.category == .malformedResponse)
        #expect(CallScript.refusal(PubNubUploadCall(channel: "c", name: "")) != nil)
    }

    @Test("The form has the fields in their order, and the file last (PL-56)")
    func form() {
        let upload = PubNubUpload(
            file: PubNubFileName(channel: "c", id: "i", name: "a\"b\r\n.txt"), url: "u",
            fields: [.init(key: "k1", value: "v1"), .init(key: "k2", value: "")])
        let text = String(decoding: upload.form([0x68, 0x69], boundary: "B"), as: UTF8.self)
        #expect(
            text == "--B\r\nContent-Disposition: form-data; name=\"k1\"\r\n\r\nv1\r\n"
                + "--B\r\nContent-Disposition: form-data; name=\"k2\"\r\n\r\n\r\n"
                + "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a%22b%0D%0A.txt\"\r\n"
                + "Content-Type: application/octet-stream\r\n\r\nhi\r\n--B--\r\n")
    }

    @Test("Subscribers are told of a file by a message of its own kind (PL-57)")
    func publish() throws {
        let message = Self.file.message(#"{"t":1}"#)
        #expect(message.text == #"{"message":{"t":1},"file":{"id":"id-1","name":"king arthur.txt"}}"#)
        #expect(Self.file.message(nil).text == #"{"file":{"id":"id-1","name":"king arthur.txt"}}"#)
        let call = PubNubPublishFileCall(channel: "c", message: #""x""#, isStored: false)
        #expect(try CallScript.line(call) == "GET /v1/files/publish-file/pub/sub/0/c/0/%22x%22?store=0")
        #expect(try CallScript.answer(call, #"[1,"Sent","15"]"#).timetoken == Timetoken(rawValue: 15))
    }

    @Test("Files are listed, found and deleted (PL-58)")
    func list() throws {
        let call = PubNubListFilesCall(channel: "c", limit: 500, next: "n")
        #expect(try CallScript.line(call) == "GET /v1/files/sub/channels/c/files?limit=100&next=n")
        let listed = try CallScript.answer(
            call,
            #"{"status":200,"data":[{"name":"n","id":"i","size":25778,"created":"2020-07-06T14:19:33Z"}],"next":null,"count":1}"#)
        #expect(listed.files.map(\.file.id) == ["i"])
        #expect(listed.files.map(\.size) == [25778])
        #expect(listed.next == nil)
        #expect(
            PubNubRequest.path(try Self.file.download(CallScript.settings).path)
                == "/v1/files/sub/channels/c/files/id-1/king%20arthur.txt")
        let delete = PubNubDeleteFileCall(file: Self.file)
        #expect(try CallScript.line(delete) == "DELETE /v1/files/sub/channels/c/files/id-1/king%20arthur.txt")
        #expect(CallScript.problem(delete, #"{"status":200}"#) == nil)
        #expect(try CallScript.answer(call, #"{"status":200,"data":[1,{"name":"n","id":"i"}]}"#).files.map(\.file.id) == ["i"])
        #expect(CallScript.refusal(PubNubDeleteFileCall(file: PubNubFileName(channel: "c", id: "", name: "n"))) != nil)
    }
}
