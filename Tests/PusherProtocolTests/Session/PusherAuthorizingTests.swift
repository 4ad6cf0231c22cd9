import ConnectionEngine
import PusherProtocol
import Testing

@Suite("Authorising (rules PS-11, PS-12, PS-19, PS-20)")
struct PusherAuthorizingTests {
    static let failure = ConnectionFailure(.unknown, "no", httpStatus: 500)

    @Test("Authorisation is asked anew for each connection, with its socket id")
    func eachConnection() {
        let script = PusherScript.connected("private-a")
        #expect(script.jobs.map(\.job) == [PusherAuthorizeJob(channel: "private-a", socketID: "1.1", purpose: .subscription)])
        script.authorize(.success(PusherAuthorization(auth: "k:1")))
        #expect(script.sent() == [PusherClientFrames.subscribe(channel: "private-a", auth: "k:1")])
        script.confirm("private-a")
        script.reconnect()
        #expect(script.jobs.map(\.job.socketID) == ["2.2"])
        script.authorize(.success(PusherAuthorization(auth: "k:2")))
        #expect(script.sent() == [PusherClientFrames.subscribe(channel: "private-a", auth: "k:2")])
    }

    @Test("Authorisation that the caller brought is used once")
    func supplied() {
        let script = PusherScript()
        script.subscribe("presence-a", PusherAuthorization(auth: "k:0", channelData: #"{"user_id":16}"#))
        script.connect()
        #expect(
            script.sent()
                == [PusherClientFrames.subscribe(channel: "presence-a", auth: "k:0", channelData: #"{"user_id":16}"#)])
        #expect(script.jobs.isEmpty)
        script.reconnect()
        #expect(script.jobs.count == 1)
    }

    @Test(
        "A refusal is final and visible, and asking again starts over",
        arguments: [
            ConnectionFailure(.unknown, "no", httpStatus: 403), ConnectionFailure(.unknown, "no", httpStatus: 401),
            ConnectionFailure(.accessDenied, "no"),
        ])
    func denied(_ failure: ConnectionFailure) {
        let script = PusherScript()
        script.perform(.subscribe(PusherSubscription(channel: "private-a")))
        script.connect()
        script.forget()
        script.authorize(.failure(failure))
        let status = failure.httpStatus.map { " \($0)" } ?? ""
        #expect(script.told() == ["failed private-a accessDenied" + status])
        #expect(script.answers() == ["1 failed accessDenied"])
        script.advance(.seconds(10))
        #expect(script.jobs.isEmpty)
        script.perform(.publish(channel: "private-a", event: "client-e", json: "1"))
        #expect(script.answers() == ["2 failed accessDenied"])
        script.perform(.subscribe(PusherSubscription(channel: "private-a")))
        script.authorize(.success(PusherAuthorization(auth: "k:s")))
        script.confirm("private-a")
        #expect(script.answers() == ["3 subscribed"])
    }

    @Test("PS-38: a denial of what was granted before is asked for again, with pauses, and told so")
    func deniedForAMoment() {
        let script = PusherScript.connected("private-a")
        script.authorize(.success(PusherAuthorization(auth: "k:1")))
        script.confirm("private-a")
        script.reconnect()
        script.forget()
        for expected in 1...3 {
            script.authorize(.failure(ConnectionFailure(.unknown, "no", httpStatus: 403)))
            #expect(script.told() == ["failed private-a accessDenied 403 retry"])
            script.advance(.seconds(1 << (expected - 1)))
            script.advance(.seconds(1 << (expected - 1)))
            #expect(script.jobs.count == 1)
        }
        script.authorize(.success(PusherAuthorization(auth: "k:2")))
        script.receive(##"{"event":"pusher:subscription_error","channel":"private-a","data":{"type":"AuthError","status":401}}"##)
        #expect(script.told().last?.hasSuffix(" retry") == true)
        script.advance(.seconds(11))
        script.authorize(.success(PusherAuthorization(auth: "k:3")))
        script.confirm("private-a")
        #expect(script.told().contains("subscribed private-a again"))
    }

    @Test("Passing failures are retried at growing pauses, at most six times a minute, and each is told")
    func retried() {
        let script = PusherScript()
        script.perform(.subscribe(PusherSubscription(channel: "private-a")))
        script.connect()
        var asked: [Double] = []
        for _ in 0..<3000 {
            while !script.jobs.isEmpty {
                asked.append(script.now.seconds)
                script.authorize(.failure(Self.failure))
            }
            script.advance(.milliseconds(100))
            script.receive(PusherFrames.ping)
        }
        for first in asked { #expect(asked.filter { $0 >= first && $0 < first + 60 }.count <= 6) }
        #expect(asked.count >= 10)
        #expect(asked[1] >= 1 && asked[1] <= 1.5)
        #expect(script.told().filter { $0 == "failed private-a unknown 500 retry" }.count == asked.count)
        #expect(script.answers() == [])
    }

    @Test("A pause after failures outlives the connection, so that a flapping link does not hammer the endpoint")
    func pauseOutlives() {
        let script = PusherScript.connected("private-a")
        for _ in 0..<4 {
            script.authorize(.failure(Self.failure))
            script.reconnect()
            #expect(script.jobs.isEmpty)
            for _ in 0..<110 where script.jobs.isEmpty {
                script.advance(.milliseconds(100))
                script.receive(PusherFrames.ping)
            }
            #expect(script.jobs.count == 1)
        }
    }

    @Test("An endpoint that does not answer is a timeout of the channel, and its late answer is ignored")
    func slow() {
        let script = PusherScript.connected("private-a", timing: .fast)
        let late = script.jobs[0].id
        script.forget()
        script.advance(.seconds(1))
        script.receive(PusherFrames.ping)
        script.advance(.milliseconds(1010))
        #expect(script.told().filter { $0.contains("failed") } == ["failed private-a timeout retry"])
        script.handle(.finished(script.attempt, late, .success(PusherAuthorization(auth: "k:s"))))
        #expect(script.sent().filter { $0.contains("subscribe") } == [])
        #expect(script.machine.snapshot.phase == .connected)
    }

    @Test("Authorisations that lack what the channel needs say so")
    func lacking() {
        let script = PusherScript.connected("presence-a", "private-encrypted-a")
        script.forget()
        script.authorize(.success(PusherAuthorization(auth: "k:s")))
        script.authorize(.success(PusherAuthorization(auth: "k:s")))
        #expect(script.told() == ["failed presence-a badRequest", "failed private-encrypted-a badRequest"])
        #expect(script.sent() == [])
    }

    private static func refused(_ channels: String..., code: Int?, message: String) -> PusherScript {
        let script = PusherScript()
        for channel in channels { script.subscribe(channel) }
        script.connect()
        for _ in channels { script.authorize(.success(PusherAuthorization(auth: "k:s"))) }
        script.forget()
        script.receive(PusherFrames.error(code: code, message: message))
        return script
    }

    @Test("A refusal that quotes what should have been signed is that channel's failure, and final", arguments: [nil, 4009])
    func quoted(_ code: Int?) {
        let message = "Invalid signature: Expected HMAC SHA256 hex digest of 1.1:private-ab, but got ff"
        let script = Self.refused("private-a", "private-ab", "private-b", code: code, message: message)
        let told = script.told()
        #expect(told.count == 2 && told[0].hasPrefix("failed private-ab accessDenied {"))
        #expect(told[1] == "error \(code.map(String.init) ?? "-") \(message)")
        script.confirm("private-a")
        script.confirm("private-b")
        script.advance(.seconds(15))
        #expect(script.jobs.isEmpty && !script.told().contains { $0.contains("failed") })
    }

    // Reverb sends no more than that.
    @Test("A refusal with 4009 alone is the failure of the only pending channel, and of none when there are several")
    func unnamed() {
        let one = Self.refused("private-a", code: 4009, message: "Connection is unauthorized")
        #expect(one.told().first?.hasPrefix("failed private-a accessDenied") == true)
        let two = Self.refused("private-a", "private-b", code: 4009, message: "Connection is unauthorized")
        #expect(two.told() == ["error 4009 Connection is unauthorized"])
        let other = Self.refused("private-a", code: 4301, message: "slow down")
        #expect(other.told() == ["error 4301 slow down"])
    }

    @Test("A new connection gives channels that were refused another chance")
    func anotherChance() {
        let script = PusherScript.connected("private-a")
        script.authorize(.failure(ConnectionFailure(.accessDenied, "no")))
        script.reconnect()
        #expect(script.jobs.count == 1)
    }
}
