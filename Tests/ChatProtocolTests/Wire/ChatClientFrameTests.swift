import ChatProtocol
import Testing

@Suite("Frames of clients (rules NP-6 to NP-13)")
struct ChatClientFrameTests {
    @Test("Every frame of a client is read as it was written", arguments: FrameCatalogue.clientFrames)
    func roundTrips(frame: ChatClientFrame) {
        #expect(FrameCatalogue.parse(ChatClientFrames.bytes(frame)) == .success(frame))
        #expect(Array(ChatClientFrames.encode(frame).utf8) == ChatClientFrames.bytes(frame))
    }

    @Test("Every word of a request is used once and known to the parser")
    func words() {
        let words = Set(FrameCatalogue.requests.map(\.word))
        #expect(words.count == 39)
        for word in words {
            guard case .failure(let error) = FrameCatalogue.parse(#"{"t":"\#(word)","n":3}"#) else { continue }
            #expect(error.code == .badArgument, "\(word)")
            #expect(error.number == 3)
        }
    }

    @Test("The hello of the document is read")
    func hello() {
        let text = """
            {"t":"hello","v":1,"appKey":"app-key","token":"tok","device":{"id":"d-1","class":"mobile","os":"iOS"},"client":"example/1.0",
             "resume":{"epoch":"k3x9","q":117},"reconnect":true,"yields":false}
            """
        let hello = ChatHello(
            appKey: "app-key", token: "tok", device: ChatDevice(id: "d-1", class: .mobile, system: "iOS"),
            client: "example/1.0",
            resume: ChatPlace(epoch: "k3x9", sequence: 117), isReconnect: true)
        #expect(FrameCatalogue.parse(text) == .success(.hello(hello)))
    }

    @Test("What a hello may leave out has its default")
    func shortHello() {
        let text = #"{"t":"hello","v":1,"appKey":"a","token":"t","device":{"id":"d"},"resume":null}"#
        let hello = ChatHello(appKey: "a", token: "t", device: ChatDevice(id: "d", system: ""), client: "")
        #expect(FrameCatalogue.parse(text) == .success(.hello(hello)))
    }

    @Test(
        "A hello that cannot be used is none of the protocol, with 31025",
        arguments: [
            #"{"t":"hello"}"#, #"{"t":"hello","v":0,"appKey":"a","token":"t","device":{"id":"d"}}"#,
            #"{"t":"hello","v":1,"appKey":7,"token":"t","device":{"id":"d"}}"#,
            #"{"t":"hello","v":1,"appKey":"a","token":"t"}"#, #"{"t":"hello","v":1,"appKey":"a","token":"t","device":{"id":""}}"#,
            #"{"t":"hello","v":1,"appKey":"a","token":"t","device":{"id":"d","class":"toaster"}}"#,
            #"{"t":"hello","v":1,"appKey":"a","token":"t","device":{"id":"d"},"resume":{"epoch":"e"}}"#,
            #"{"t":"hello","v":1,"appKey":"a","token":"t","device":{"id":"d"},"resume":{"epoch":"e","q":-1}}"#,
            #"{"t":"hello","v":1,"appKey":"a","token":"t","device":{"id":"d"},"yields":"no"}"#,
        ])
    func badHello(text: String) {
        guard case .failure(let error) = FrameCatalogue.parse(text) else {
            Issue.record("accepted")
            return
        }
        #expect(error.kind == .malformed)
        #expect(error.code == .badHello)
    }

    @Test("The send of the document is read, and its defaults are those of the wire")
    func send() {
        let text =
            #"{"t":"send","n":7,"cid":"c-1","conv":"direct","to":"u2","type":"RC:TxtMsg","content":{"content":"hello"} }"#
        let draft = ChatMessageDraft(
            clientID: "c-1", conversation: .direct, to: "u2", type: "RC:TxtMsg", content: Array(#"{"content":"hello"}"#.utf8))
        #expect(FrameCatalogue.parse(text) == .success(.request(.send(draft), number: 7)))
    }

    @Test("Members may come in any order, escaped, unknown or twice; the last one counts")
    func members() {
        let text = """
            {"future":{"t":"x","n":[1]},"content":{"a":1},"content":{"content":"hello"},"to":"u3","to":"u2","n":1,"conv":"direct",
            "cid":"c-1","type":"RC:TxtMsg","n":7,"persist":null,"a-key-that-is-longer-than-any-known-one":1,"\\u0074":"send"}
            """
        let draft = ChatMessageDraft(
            clientID: "c-1", conversation: .direct, to: "u2", type: "RC:TxtMsg", content: Array(#"{"content":"hello"}"#.utf8))
        #expect(FrameCatalogue.parse(text) == .success(.request(.send(draft), number: 7)))
    }

    @Test("A content is cut out as it came")
    func contentAsItCame() {
        let content = #"{ "b":1.50, "a":[ 1e400 , "\u00e9" ],"b":2}"#
        let text = #"{"t":"send","n":7,"cid":"c","conv":"direct","to":"u2","type":"t","content":\#(content)}"#
        guard case .success(.request(.send(let draft), _)) = FrameCatalogue.parse(text) else {
            Issue.record("refused")
            return
        }
        #expect(String(decoding: draft.content, as: UTF8.self) == content)
    }

    @Test(
        "A request with a wrong member is refused by its number with 33003",
        arguments: [
            #""t":"send","conv":"direct","to":"u2","type":"t","content":{}"#,
            #""t":"send","cid":"","conv":"direct","to":"u2","type":"t","content":{}"#,
            #""t":"send","cid":"c","conv":"nowhere","to":"u2","type":"t","content":{}"#,
            #""t":"send","cid":"c","conv":"system","to":"u2","type":"t","content":{}"#,
            #""t":"send","cid":"c","conv":"direct","to":5,"type":"t","content":{}"#,
            #""t":"send","cid":"c","conv":"direct","to":"u2","type":"","content":{}"#,
            #""t":"send","cid":"c","conv":"direct","to":"u2","type":"t","content":"{}""#,
            #""t":"send","cid":"c","conv":"direct","to":"u2","type":"t","content":[]"#,
            #""t":"send","cid":"c","conv":"direct","to":"u2","type":"t","content":{},"persist":"no""#,
            #""t":"send","cid":"c","conv":"direct","to":"u2","type":"t","content":{},"meta":{"k":1}"#,
            #""t":"send","cid":"c","conv":"direct","to":"u2","type":"t","content":{},"meta":{"k y":"v"}"#,
            #""t":"send","cid":"c","conv":"direct","to":"u2","type":"t","content":{},"users":["a",1]"#,
            #""t":"send","cid":"c","conv":"direct","to":"u2","type":"t","content":{},"push":[]"#,
            #""t":"recall","conv":"direct","to":"u2","id":17"#, #""t":"recall","conv":"direct","to":"u2","id":"x""#,
            #""t":"recall","conv":"direct","to":"u2","id":"99999999999999999999""#,
            #""t":"history","conv":"direct","ch":"u2","limit":0"#, #""t":"history","conv":"direct","ch":"u2","limit":101"#,
            #""t":"history","conv":"direct","ch":"u2","before":12"#, #""t":"history","conv":"direct","ch":"u2","beforeTime":1.5"#,
            #""t":"receipt","conv":"direct","to":"u2","ids":[]"#, #""t":"delete","conv":"direct","ch":"u2""#,
            #""t":"set","conv":"direct","ch":"u2""#, #""t":"set","conv":"direct","ch":"u2","level":3"#,
            #""t":"set","conv":"direct","pinned":true"#, #""t":"group.create","group":{"id":"g"}"#,
            #""t":"group.create","group":{"id":"g","name":"n","join":"3"}"#,
            #""t":"group.create","group":{"id":"g","name":"n","ext":{"a":1}}"#,
            #""t":"group.update","id":"g","set":{"name":1}"#, #""t":"group.admins","id":"g""#,
            #""t":"open.enter","ch":"o","count":51"#, #""t":"open.info","ch":"o","limit":501"#,
            #""t":"open.meta.set","ch":"o","meta":{}"#,
            #""t":"user.subscribe","users":["u"],"expiry":59"#, #""t":"user.get","users":[]"#, #""t":"user.get","users":[""]"#,
        ])
    func wrongMember(members: String) {
        guard case .failure(let error) = FrameCatalogue.parse("{\"n\":41,\(members)}") else {
            Issue.record("accepted")
            return
        }
        #expect(error.kind == .refused(number: 41))
        #expect(error.number == 41)
        #expect(error.code == .badArgument)
    }

    @Test("A request that is not known is refused with -101, a notification that is not known is ignored")
    func unknown() {
        guard case .failure(let request) = FrameCatalogue.parse(#"{"t":"teleport","n":9}"#),
            case .failure(let notification) = FrameCatalogue.parse(#"{"t":"teleport"}"#)
        else {
            Issue.record("accepted")
            return
        }
        #expect(
            request == ChatFrameError(.refused(number: 9), code: .unknownRequest, reason: "The request has an unknown type t."))
        #expect(notification.kind == .ignored)
    }

    @Test(
        "A number beyond 2^53 - 1, zero, a fraction or a text numbers no request",
        arguments: ["0", "-1", "1.0", "1e2", "\"7\"", "9007199254740992", "99999999999999999999999"])
    func numbers(number: String) {
        guard case .failure(let error) = FrameCatalogue.parse(#"{"t":"settings","n":\#(number)}"#) else {
            Issue.record("accepted")
            return
        }
        #expect(error.kind == .ignored)
        #expect(
            FrameCatalogue.parse(#"{"t":"settings","n":9007199254740991}"#)
                == .success(.request(.settings, number: 9_007_199_254_740_991)))
    }

    @Test(
        "What is no object with a type is malformed",
        arguments: [
            "", " ", "null", "[]", "7", "\"t\"", "{}", #"{"t":1}"#, "{\"t\":\"settings\",\"n\":1}x",
            "{\"t\":\"settings\",\"n\":1,}",
        ])
    func malformed(text: String) {
        guard case .failure(let error) = FrameCatalogue.parse(text) else {
            Issue.record("accepted")
            return
        }
        #expect(error.kind == .malformed)
    }
}
