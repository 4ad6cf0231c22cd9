import ConnectionEngine
import PusherProtocol
import Testing

@Suite("Refused sign-ins, signing out, and channels of the user (rules PS-19, PS-28, PS-30, PS-31)")
struct PusherUserRefusalTests {
    private static func signingIn(_ channels: String...) -> PusherScript {
        let script = PusherScript()
        script.perform(.signIn)
        script.connect()
        script.authorize(.success(PusherUserTests.vouched))
        for channel in channels { script.subscribe(channel) }
        script.forget()
        return script
    }

    @Test("4009 answers a sign-in, with the server's words, and the connection goes on")
    func refused() {
        let script = Self.signingIn("a")
        script.receive(PusherFrames.error(code: 4009, message: "Invalid signature"))
        #expect(
            script.told() == [
                #"sign-in failed accessDenied {"code":4009,"message":"Invalid signature"}"#, "error 4009 Invalid signature",
            ])
        #expect(script.answers() == ["1 failed accessDenied"])
        #expect(script.machine.snapshot.phase == .connected)
        script.receive(PusherFrames.signinSuccess(userData: PusherUserTests.userData))
        #expect(script.told() == [])
        script.perform(.signIn)
        script.authorize(.success(PusherUserTests.vouched))
        script.receive(PusherFrames.signinSuccess(userData: PusherUserTests.userData))
        #expect(script.answers() == ["2 signedIn"])
    }

    @Test("An error of another code answers it when it can be about nothing else")
    func otherCode() {
        let script = Self.signingIn()
        script.receive(PusherFrames.error(code: nil, message: ""))
        #expect(script.answers() == ["1 failed accessDenied"])
    }

    @Test(
        "Errors about something else do not",
        arguments: [
            PusherFrames.error(code: 4301, message: "slow down"), PusherFrames.error(code: 4302, message: "watchlist too long"),
            PusherFrames.error(code: 4100, message: "full"), PusherFrames.error(code: 4200, message: "restart"),
            PusherFrames.error(code: nil, message: "Existing subscription to channel a"),
            PusherFrames.error(code: 4009, message: "no", channel: "private-a"),
        ])
    func somethingElse(_ error: [UInt8]) {
        let script = Self.signingIn()
        script.receive(error)
        #expect(script.answers() == [])
        script.receive(PusherFrames.signinSuccess(userData: PusherUserTests.userData))
        #expect(script.answers() == ["1 signedIn"])
    }

    @Test("An error that may be about a channel or an event leaves the sign-in waiting")
    func ambiguous() {
        let script = Self.signingIn("a")
        script.receive(PusherFrames.error(code: nil, message: "no"))
        #expect(script.answers() == [])
        let other = PusherScript.connected("private-b")
        other.authorize(.success(PusherAuthorization(auth: "k:s")))
        other.confirm("private-b")
        other.perform(.signIn)
        other.authorize(.success(PusherUserTests.vouched))
        other.perform(.publish(channel: "private-b", event: "client-e", json: "1"))
        other.forget()
        other.receive(PusherFrames.error(code: nil, message: "no"))
        #expect(other.told() == ["error - no"])
        other.receive(PusherFrames.signinSuccess(userData: PusherUserTests.userData))
        #expect(other.answers() == ["1 signedIn"])
    }

    @Test("Signing out cancels who waits, drops the user's channel and silences it")
    func signOut() {
        let waiting = PusherScript()
        waiting.perform(.signIn)
        waiting.perform(.signOut)
        #expect(waiting.answers() == ["1 failed cancelled", "2 signedOut"])
        waiting.connect()
        #expect(waiting.jobs.isEmpty)

        let script = PusherUserTests.signedIn()
        script.perform(.signOut)
        #expect(script.sent() == [PusherClientFrames.unsubscribe(channel: PusherUserTests.channel)])
        #expect(script.told() == ["unsubscribed \(PusherUserTests.channel)"])
        script.receive(PusherFrames.event(name: "e", channel: PusherUserTests.channel, data: "1"))
        script.receive(#"{"event":"pusher_internal:watchlist_events","data":{"events":[]}}"#)
        #expect(script.told() == [])
        script.reconnect()
        #expect(script.jobs.isEmpty)
    }

    @Test("Signing out while it is under way revives nothing")
    func signOutEarly() {
        let script = Self.signingIn()
        script.perform(.signOut)
        script.receive(PusherFrames.signinSuccess(userData: PusherUserTests.userData))
        #expect(script.told() == [])
        #expect(script.answers() == ["1 failed cancelled", "2 signedOut"])
    }

    @Test("Out and in again as the same user needs no second sign-in on the connection")
    func again() {
        let script = PusherUserTests.signedIn()
        script.perform(.signOut)
        script.perform(.signIn)
        script.forget()
        script.authorize(.success(PusherUserTests.vouched))
        #expect(script.told() == ["signed in ann"])
        #expect(script.answers() == ["2 signedIn"])
        #expect(script.sent() == [PusherClientFrames.subscribe(channel: PusherUserTests.channel)])
    }

    @Test("Users cannot subscribe or unsubscribe names with # themselves")
    func reserved() {
        let script = PusherUserTests.signedIn()
        script.perform(.subscribe(PusherSubscription(channel: "#server-to-user-eve")))
        #expect(script.told() == ["failed #server-to-user-eve badRequest"])
        script.perform(.unsubscribe(channel: PusherUserTests.channel))
        #expect(script.answers() == ["1 failed badRequest", "2 unsubscribed"])
        #expect(script.sent() == [])
        script.receive(PusherFrames.event(name: "e", channel: PusherUserTests.channel, data: "1"))
        #expect(script.told() == ["message \(PusherUserTests.channel) e 1"])
    }

    @Test("A presence channel authorised without channel_data waits for the sign-in and takes the user's id")
    func presenceAsUser() {
        let script = PusherScript()
        script.perform(.signIn)
        script.subscribe("presence-a")
        script.connect()
        script.forget()
        let user = script.jobs[0], channel = script.jobs[1]
        script.handle(.finished(script.attempt, channel.id, .success(PusherAuthorization(auth: "k:p"))))
        #expect(script.sent() == [])
        script.handle(.finished(script.attempt, user.id, .success(PusherUserTests.vouched)))
        script.receive(PusherFrames.signinSuccess(userData: PusherUserTests.userData))
        #expect(script.sent().last == PusherClientFrames.subscribe(channel: "presence-a", auth: "k:p"))
        script.forget()
        script.receive(PusherFrames.subscriptionSucceeded(channel: "presence-a", members: [PusherMember(userID: "ann")]))
        #expect(script.told() == ["subscribed presence-a ann me=ann"])
        // Signed in already: at once.
        script.subscribe("presence-b")
        script.forget()
        script.jobs.last.map { script.handle(.finished(script.attempt, $0.id, .success(PusherAuthorization(auth: "k:q")))) }
        #expect(script.sent() == [PusherClientFrames.subscribe(channel: "presence-b", auth: "k:q")])
    }

    @Test("A presence channel that failed for want of a user is tried again once there is one")
    func presenceBeforeUser() {
        let script = PusherScript.connected("presence-a", "presence-b")
        script.authorize(.success(PusherAuthorization(auth: "k:p")))
        script.authorize(.failure(ConnectionFailure(.accessDenied, "no", httpStatus: 403)))
        script.forget()
        script.perform(.signIn)
        script.authorize(.success(PusherUserTests.vouched))
        #expect(script.jobs.isEmpty)
        script.receive(PusherFrames.signinSuccess(userData: PusherUserTests.userData))
        #expect(script.jobs.map(\.job.channel) == ["presence-a"])
        script.authorize(.success(PusherAuthorization(auth: "k:q")))
        #expect(script.sent().last == PusherClientFrames.subscribe(channel: "presence-a", auth: "k:q"))
    }

    @Test("When the sign-in fails or is taken back, so do the channels that counted on it")
    func presenceWithoutUser() {
        for ending in [PusherCommand.signOut, .signIn] {
            let script = PusherScript()
            script.handle(.perform(.signIn, nil))
            script.subscribe("presence-a")
            script.connect()
            script.forget()
            let user = script.jobs[0], channel = script.jobs[1]
            script.handle(.finished(script.attempt, channel.id, .success(PusherAuthorization(auth: "k:p"))))
            if case .signOut = ending {
                script.perform(.signOut)
            } else {
                script.handle(.finished(script.attempt, user.id, .failure(ConnectionFailure(.accessDenied, "no"))))
            }
            #expect(script.told().last == "failed presence-a badRequest")
            #expect(script.sent() == [])
        }
        let late = PusherScript(timing: .fast)
        late.handle(.perform(.signIn, nil))
        late.subscribe("presence-a")
        late.connect()
        late.authorize(.success(PusherUserTests.vouched))
        late.authorize(.success(PusherAuthorization(auth: "k:p")))
        late.forget()
        PusherUserTests.wait(late, .milliseconds(2010))
        #expect(late.told() == ["failed presence-a timeout retry", "sign-in failed timeout"])
    }
}
