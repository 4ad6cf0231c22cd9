import ConnectionEngine
import PusherProtocol
import Testing

@Suite("Signing in (rules PS-28 to PS-31)")
struct PusherUserTests {
    static let userData = #"{"id":"ann","user_info":{"name":"Ann"}}"#
    static let vouched = PusherAuthorization(auth: "k:u", userData: userData)
    static let channel = "#server-to-user-ann"

    /// Signed in, with the user's channel confirmed.
    static func signedIn(timing: ConnectionTiming = .standard) -> PusherScript {
        let script = PusherScript(timing: timing)
        script.handle(.perform(.signIn, nil))
        script.connect()
        script.authorize(.success(vouched))
        script.receive(PusherFrames.signinSuccess(userData: userData))
        script.confirm(channel)
        script.forget()
        return script
    }

    @Test("A sign-in is vouched for, sent, confirmed, and then the user's channel is subscribed by itself")
    func happyPath() {
        let script = PusherScript()
        script.connect()
        script.forget()
        script.perform(.signIn)
        #expect(script.jobs.map(\.job) == [PusherAuthorizeJob(channel: "", socketID: "1.1", purpose: .user)])
        script.authorize(.success(Self.vouched))
        #expect(script.sent() == [PusherClientFrames.signin(auth: "k:u", userData: Self.userData)])
        #expect(script.answers() == [])
        script.receive(PusherFrames.signinSuccess(userData: Self.userData))
        #expect(script.told() == ["signed in ann"])
        #expect(script.answers() == ["1 signedIn"])
        #expect(script.sent() == [PusherClientFrames.subscribe(channel: Self.channel)])
        script.receive(PusherFrames.event(name: "early", channel: Self.channel, data: "1"))
        script.confirm(Self.channel)
        script.receive(PusherFrames.event(name: "hello", channel: Self.channel, data: "1"))
        #expect(
            script.told() == ["message \(Self.channel) early 1", "subscribed \(Self.channel)", "message \(Self.channel) hello 1"])
        #expect(script.machine.memory.wantedChannels == [])
    }

    @Test("Signing in twice is one sign-in, and both are answered")
    func twice() {
        let script = PusherScript()
        script.perform(.signIn)
        script.connect()
        script.perform(.signIn)
        #expect(script.jobs.count == 1)
        script.authorize(.success(Self.vouched))
        script.perform(.signIn)
        script.receive(PusherFrames.signinSuccess(userData: Self.userData))
        script.perform(.signIn)
        #expect(script.answers() == ["1 signedIn", "2 signedIn", "3 signedIn", "4 signedIn"])
        #expect(script.jobs.isEmpty)
        #expect(script.sent().filter { $0.contains("pusher:signin") }.count == 1)
    }

    @Test("A wish before the connection is remembered, and a new connection is signed in anew")
    func reconnects() {
        let script = Self.signedIn()
        script.reconnect()
        #expect(script.jobs.map(\.job) == [PusherAuthorizeJob(channel: "", socketID: "2.2", purpose: .user)])
        #expect(script.sent() == [])
        script.forget()
        script.authorize(.success(PusherAuthorization(auth: "k:2", userData: Self.userData)))
        #expect(script.sent() == [PusherClientFrames.signin(auth: "k:2", userData: Self.userData)])
        script.receive(PusherFrames.signinSuccess(userData: Self.userData))
        script.confirm(Self.channel)
        #expect(
            script.told() == ["signed in ann", "subscribed \(Self.channel) again", "gap \(Self.channel) 0.0"])
    }

    @Test("Another user on the next connection has another channel")
    func anotherUser() {
        let script = Self.signedIn()
        script.reconnect()
        script.forget()
        script.authorize(.success(PusherAuthorization(auth: "k:2", userData: #"{"id":"bob"}"#)))
        script.receive(PusherFrames.signinSuccess(userData: #"{"id":"bob"}"#))
        #expect(script.told() == ["unsubscribed \(Self.channel)", "signed in bob"])
        #expect(script.sent().last == PusherClientFrames.subscribe(channel: "#server-to-user-bob"))
    }

    @Test(
        "The confirmation is read in every shape",
        arguments: [
            #""{\"user_data\":\"{\\\"id\\\":\\\"ann\\\"}\"}""#, #"{"user_data":"{\"id\":\"ann\"}"}"#,
            #"{"user_data":{"id":"ann"}}"#,
            "{}", #""""#, "null",
        ])
    func shapes(_ data: String) {
        let script = PusherScript()
        script.handle(.perform(.signIn, nil))
        script.connect()
        script.authorize(.success(Self.vouched))
        script.forget()
        script.receive(#"{"event":"pusher:signin_success","data":\#(data)}"#)
        #expect(script.told() == ["signed in ann"])
    }

    @Test("A confirmation that nobody asked for, or of somebody else, signs nobody in")
    func unasked() {
        let script = PusherScript()
        script.connect()
        script.forget()
        script.receive(PusherFrames.signinSuccess(userData: Self.userData))
        script.perform(.signIn)
        script.receive(PusherFrames.signinSuccess(userData: Self.userData))
        #expect(script.told() == [])
        script.authorize(.success(Self.vouched))
        script.receive(PusherFrames.signinSuccess(userData: #"{"id":"eve"}"#))
        #expect(script.told() == ["malformed"])
        #expect(script.sent().filter { $0.contains("#server-to-user") } == [])
        script.receive(PusherFrames.signinSuccess(userData: Self.userData))
        script.receive(PusherFrames.signinSuccess(userData: Self.userData))
        #expect(script.told() == ["signed in ann"])
    }

    @Test(
        "A user without a usable id is a clear failure, and nothing is sent",
        arguments: [
            nil, "", "[]", "{}", #"{"id":""}"#, #"{"id":7}"#, #"{"id":null}"#, #"{"id":"a\nb"}"#,
            #"{"id":"\#(String(repeating: "x", count: 200))"}"#,
        ])
    func badUserData(_ userData: String?) {
        let script = PusherScript()
        script.perform(.signIn)
        script.connect()
        script.forget()
        script.authorize(.success(PusherAuthorization(auth: "k:u", userData: userData)))
        #expect(script.told() == ["sign-in failed badRequest"])
        #expect(script.answers() == ["1 failed badRequest"])
        #expect(script.sent() == [])
    }

    @Test(
        "A refusal to vouch is final, asking again starts over, and so does the next connection", arguments: [400, 401, 403, 404])
    func denied(_ status: Int) {
        let script = PusherScript()
        script.perform(.signIn)
        script.connect()
        script.forget()
        script.authorize(.failure(ConnectionFailure(.unknown, "no", httpStatus: status)))
        let category = status == 401 || status == 403 ? "accessDenied" : "unknown"
        #expect(script.told() == ["sign-in failed \(category) \(status)"])
        #expect(script.answers() == ["1 failed \(category)"])
        script.advance(.seconds(15))
        #expect(script.jobs.isEmpty)
        script.perform(.signIn)
        script.authorize(.failure(ConnectionFailure(.unknown, "no", httpStatus: status)))
        #expect(script.answers() == ["2 failed \(category)"])
        script.reconnect()
        #expect(script.jobs.map(\.job.purpose) == [.user])
    }

    @Test("A passing failure is retried after a pause that outlives the connection")
    func retried() {
        let script = PusherScript()
        script.perform(.signIn)
        script.connect()
        script.forget()
        for attempt in 1...3 {
            script.authorize(.failure(ConnectionFailure(.unknown, "no", httpStatus: 500)))
            script.reconnect(socketID: "\(attempt).0")
            #expect(script.jobs.isEmpty)
            for _ in 0..<200 where script.jobs.isEmpty {
                script.advance(.milliseconds(50))
                script.receive(PusherFrames.ping)
            }
            #expect(script.jobs.map(\.job.socketID) == ["\(attempt).0"])
        }
        #expect(script.told().filter { $0 == "sign-in failed unknown 500 retry" }.count == 3)
        script.authorize(.success(Self.vouched))
        script.receive(PusherFrames.signinSuccess(userData: Self.userData))
        #expect(script.answers() == ["1 signedIn"])
    }

    @Test("Whoever does not answer is a timeout that is retried, and the late answer is ignored")
    func slowVoucher() {
        let script = PusherScript(timing: .fast)
        script.perform(.signIn)
        script.connect()
        let late = script.jobs[0].id
        Self.wait(script, .milliseconds(2010))
        #expect(script.told().filter { $0.contains("sign-in") } == ["sign-in failed timeout retry"])
        script.forget()
        script.handle(.finished(script.attempt, late, .success(Self.vouched)))
        #expect(script.sent() == [])
        #expect(script.answers() == [])
    }

    @Test("A server that does not know users is a timeout, no second sign-in is sent, and a late confirmation counts")
    func slowServer() {
        let script = PusherScript(timing: .fast)
        script.perform(.signIn)
        script.connect()
        script.authorize(.success(Self.vouched))
        Self.wait(script, .milliseconds(2010))
        #expect(script.answers() == ["1 failed timeout"])
        Self.wait(script, .seconds(90))
        #expect(script.sent().filter { $0.contains("pusher:signin") }.count == 1)
        #expect(script.told().filter { $0.contains("sign-in") } == ["sign-in failed timeout"])
        script.receive(PusherFrames.signinSuccess(userData: Self.userData))
        #expect(script.told().last == "signed in ann")
    }

    /// Lets time pass on a link that is alive.
    static func wait(_ script: PusherScript, _ duration: Duration) {
        let end = script.now + duration
        while script.now < end {
            script.advance(min(.milliseconds(500), end.duration(since: script.now)))
            script.receive(PusherFrames.ping)
        }
    }
}
