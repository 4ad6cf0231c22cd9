import Testing

@testable import PubNubProtocol

@Suite("Channel groups, push and message actions of PubNub")
struct PubNubGroupCallTests {
    static let ok = #"{"status": 200, "message": "OK", "service": "channel-registry", "error": false}"#

    @Test("Groups are listed, changed and removed (PL-40)")
    func groups() throws {
        let path = "GET /v1/channel-registration/sub-key/sub/channel-group"
        #expect(try CallScript.line(PubNubListGroupsCall()) == path)
        #expect(try CallScript.line(PubNubListGroupCall(group: "g h")) == path + "/g%20h")
        let add = PubNubChangeGroupCall(group: "g", .add, channels: ["a", "b c"])
        #expect(try CallScript.line(add) == path + "/g?add=a%2Cb%20c")
        #expect(try CallScript.line(PubNubChangeGroupCall(group: "g", .remove, channels: ["a"])) == path + "/g?remove=a")
        #expect(try CallScript.line(PubNubRemoveGroupCall(group: "g")) == path + "/g/remove")
        #expect(
            try CallScript.answer(
                PubNubListGroupsCall(),
                #"{"status": 200, "payload": {"namespace": "", "groups": ["g1"]}, "service": "channel-registry", "error": false}"#
            )
                == ["g1"])
        #expect(
            try CallScript.answer(
                PubNubListGroupCall(group: "g"),
                #"{"status": 200, "payload": {"channels": ["c1"], "group": "g"}, "service": "channel-registry", "error": false}"#)
                == ["c1"])
        #expect(CallScript.problem(add, Self.ok) == nil)
        #expect(CallScript.problem(PubNubRemoveGroupCall(group: "g"), Self.ok) == nil)
    }

    @Test("Changes of a group need channels, at most 200 (PL-41)")
    func groupLimits() {
        #expect(
            CallScript.refusal(PubNubChangeGroupCall(group: "g", .add, channels: []))
                == "The request names no channel to add. Pass at least one channel.")
        #expect(CallScript.refusal(PubNubChangeGroupCall(group: "g", .add, channels: Array(repeating: "a", count: 201))) != nil)
        #expect(CallScript.refusal(PubNubChangeGroupCall(group: "", .add, channels: ["a"])) != nil)
    }

    @Test("A group's refusal with status 200 is told in the service's words (PL-7)")
    func groupErrors() {
        let body = #"{"status": 200, "message": "Maximum channel group count exceeded.", "service": "x", "error": true}"#
        let problem = CallScript.problem(PubNubRemoveGroupCall(group: "g"), body)
        #expect(problem?.information == "Maximum channel group count exceeded.")
    }

    @Test("Devices are named by service and token (PL-45, PL-46)")
    func push() throws {
        let apns = PubNubPushDevice(service: .apns, tokenBytes: [0x00, 0xAB, 0xFF])
        let path = "GET /v1/push/sub-key/sub/devices/00abff"
        #expect(try CallScript.line(PubNubListPushCall(device: apns)) == path + "?type=apns")
        #expect(
            try CallScript.line(PubNubChangePushCall(device: apns, .add, channels: ["a", "b"])) == path + "?type=apns&add=a%2Cb")
        #expect(
            try CallScript.line(PubNubChangePushCall(device: apns, .remove, channels: ["a"])) == path + "?type=apns&remove=a")
        #expect(try CallScript.line(PubNubRemovePushCall(device: apns)) == path + "/remove?type=apns")
        for (service, name) in [(PubNubPushDevice.Service.gcm, "gcm"), (.fcm, "fcm"), (.mpns, "mpns")] {
            #expect(
                try CallScript.line(PubNubListPushCall(device: .init(service: service, token: "t/1"), count: 5, start: "c"))
                    == "GET /v1/push/sub-key/sub/devices/t%2F1?type=\(name)&count=5&start=c")
        }
        let apns2 = PubNubPushDevice(service: .apns2(topic: "com.x", isProduction: true), token: "ab")
        #expect(
            try CallScript.line(PubNubRemovePushCall(device: apns2))
                == "GET /v2/push/sub-key/sub/devices-apns2/ab/remove?environment=production&topic=com.x")
        let noTopic = PubNubPushDevice(service: .apns2(topic: "", isProduction: false), token: "ab")
        #expect(CallScript.refusal(PubNubListPushCall(device: noTopic))?.contains("bundle identifier") == true)
        #expect(CallScript.refusal(PubNubListPushCall(device: .init(service: .apns, token: ""))) != nil)
        #expect(CallScript.refusal(PubNubChangePushCall(device: apns, .add, channels: [])) != nil)
    }

    @Test("Push answers are lists (PL-47)")
    func pushAnswers() throws {
        let device = PubNubPushDevice(service: .apns, token: "ab")
        #expect(try CallScript.answer(PubNubListPushCall(device: device), #"["ch1","ch2"]"#) == ["ch1", "ch2"])
        #expect(try CallScript.answer(PubNubListPushCall(device: device), "[]") == [])
        #expect(CallScript.problem(PubNubRemovePushCall(device: device), #"[1, "Removed Device"]"#) == nil)
        let refused = CallScript.problem(
            PubNubChangePushCall(device: device, .add, channels: ["a"]), #"{"error": "Invalid device token"}"#)
        #expect(refused?.information == "Invalid device token")
    }

    @Test("Message actions are added, removed and listed (PL-50)")
    func actions() throws {
        let path = "/v1/message-actions/sub/channel/c"
        let message = Timetoken(rawValue: 15_610_547_826_970_050)
        let add = PubNubAddActionCall(channel: "c", messageTimetoken: message, type: "reaction", value: "smi\"le")
        #expect(try CallScript.line(add) == "POST \(path)/message/15610547826970050")
        #expect(try add.request(CallScript.settings).body == Array(#"{"type":"reaction","value":"smi\"le"}"#.utf8))
        let remove = PubNubRemoveActionCall(channel: "c", messageTimetoken: message, actionTimetoken: Timetoken(rawValue: 5))
        #expect(try CallScript.line(remove) == "DELETE \(path)/message/15610547826970050/action/5")
        #expect(CallScript.problem(remove, #"{"status": 200, "data": {}}"#) == nil)
        let fetch = PubNubFetchActionsCall(channel: "c", start: Timetoken(rawValue: 2), end: Timetoken(rawValue: 1), limit: 500)
        #expect(try CallScript.line(fetch) == "GET \(path)?start=2&end=1&limit=100")
        #expect(try CallScript.line(PubNubFetchActionsCall(channel: "c")) == "GET \(path)")

        let data =
            #"{"type": "reaction", "value": "smile", "uuid": "u", "actionTimetoken": "15610547826970052", "messageTimetoken": "15610547826970050"}"#
        let expected = PubNubMessageAction(
            type: "reaction", value: "smile", publisher: "u", messageTimetoken: message,
            timetoken: Timetoken(rawValue: 15_610_547_826_970_052))
        #expect(try CallScript.answer(add, #"{"status": 200, "data": \#(data)}"#) == expected)
        let list = try CallScript.answer(
            fetch, #"{"status": 200, "data": [\#(data)], "more": {"url": "…", "start": "7", "end": "3", "limit": 100}}"#)
        #expect(list.actions == [expected])
        #expect(list.more == PubNubMore(start: Timetoken(rawValue: 7), end: Timetoken(rawValue: 3), limit: 100))
        // An action that cannot be read does not cost the others (PN-40).
        for bad in ["{}", "7", #"{"actionTimetoken":"x\q"}"#, #"{"type":[}"#] {
            let part = try CallScript.answer(fetch, #"{"status":200,"data":[\#(bad),\#(data)]}"#)
            #expect(part.actions == [expected] && part.unreadable == 1, "\(bad)")
        }
    }

    @Test("An action that was stored but not told is there (PL-51)")
    func halfAdded() throws {
        let add = PubNubAddActionCall(channel: "c", messageTimetoken: Timetoken(rawValue: 1), type: "t", value: "v")
        let body = #"""
            {"status":207,"data":{"type":"t","value":"v","uuid":"u","actionTimetoken":"2","messageTimetoken":"1"},
            "error":{"message":"Stored but failed to publish message action.","source":"actions"}}
            """#
        #expect(try CallScript.answer(add, body).timetoken == Timetoken(rawValue: 2))
    }

    @Test("Actions without a message, type or value are refused (PL-1)")
    func actionArguments() {
        let message = Timetoken(rawValue: 1)
        #expect(CallScript.refusal(PubNubAddActionCall(channel: "c", messageTimetoken: .zero, type: "t", value: "v")) != nil)
        #expect(CallScript.refusal(PubNubAddActionCall(channel: "c", messageTimetoken: message, type: "", value: "v")) != nil)
        let longest = String(repeating: "t", count: PubNubAddActionCall.maximumTypeLength)
        #expect(
            CallScript.refusal(PubNubAddActionCall(channel: "c", messageTimetoken: message, type: longest, value: "v")) == nil)
        #expect(
            CallScript.refusal(PubNubAddActionCall(channel: "c", messageTimetoken: message, type: longest + "t", value: "v"))
                != nil)
        #expect(CallScript.refusal(PubNubAddActionCall(channel: "c", messageTimetoken: message, type: "t", value: "")) != nil)
        let long = String(repeating: "t", count: 16)
        #expect(CallScript.refusal(PubNubAddActionCall(channel: "c", messageTimetoken: message, type: long, value: "v")) != nil)
        #expect(
            CallScript.refusal(PubNubRemoveActionCall(channel: "c", messageTimetoken: message, actionTimetoken: .zero)) != nil)
        #expect(CallScript.refusal(PubNubFetchActionsCall(channel: "c", limit: 0)) != nil)
    }
}
