import ChatDatabase
import ChatProtocol
import Foundation
import Testing
import WireCoding

@testable import NexconnChatSDK

/// Contents are read and written as the vendor's family of services does (rules NH-3 to NH-5).
@Suite struct ContentTests {
    private func reread<Content: MessageContent>(_ content: Content, isLocal: Bool = false) throws -> Content {
        let bytes = try content.encoded(isLocal: isLocal)
        let read = ContentRegistry.content(type: content.typeName, bytes: bytes)
        return try #require(read as? Content)
    }

    @Test func `text has the member content`() throws {
        let message = TextMessage(text: "hé\"llo\n")
        message.extra = "x"
        #expect(String(decoding: try message.encoded(), as: UTF8.self) == #"{"content":"hé\"llo\n","extra":"x"}"#)
        #expect(try reread(message).text == "hé\"llo\n")
        #expect(try reread(message).extra == "x")
    }

    @Test func `who sends and who is mentioned goes with every content`() throws {
        let message = TextMessage(text: "t")
        message.senderUserInfo = UserInfo(userId: "u1", name: "Ann", portraitUri: "p", alias: "A", extra: "e")
        message.mentionedInfo = MentionedInfo(type: .part, userIdList: ["u2", "u3"], mentionedContent: "you!")
        let fields = try #require(ContentFields(message.encoded()))
        #expect(fields["user"]?["portrait"]?.string == "p")
        #expect(fields["mentionedInfo"]?["type"]?.integer == 2)
        let read = try reread(message)
        #expect(read.senderUserInfo?.name == "Ann" && read.senderUserInfo?.alias == "A")
        #expect(read.mentionedInfo?.userIdList == ["u2", "u3"] && read.mentionedInfo?.mentionedContent == "you!")
    }

    @Test func `every built-in content is read as it was written`() throws {
        let data = Data([1, 2, 255])
        let image = ImageMessage(remoteUrl: "https://x/y")
        image.thumbnailImage = data
        #expect(try reread(image).thumbnailImage == data)
        #expect(try reread(image).remoteUrl == "https://x/y")
        let gif = GIFMessage(localPath: nil, width: 3, height: 4)
        gif.dataSize = 5
        let readGIF = try reread(gif)
        #expect(readGIF.width == 3 && readGIF.height == 4 && readGIF.dataSize == 5)
        #expect(try reread(HDVoiceMessage(localPath: nil, duration: 7)).duration == 7)
        let video = ShortVideoMessage(localPath: nil, duration: 8, thumbnailImage: data)
        #expect(try reread(video).duration == 8 && reread(video).thumbnailImage == data)
        let file = FileMessage(remoteUrl: "https://x/a.tar.gz", name: "a.tar.gz", size: 1 << 40)
        let readFile = try reread(file)
        #expect(readFile.size == 1 << 40 && readFile.fileType == "gz" && readFile.name == "a.tar.gz")
        let place = try reread(LocationMessage(latitude: 1.5, longitude: -2.25, poi: "Here"))
        #expect(place.latitude == 1.5 && place.longitude == -2.25 && place.poi == "Here")
        #expect(try reread(CommandMessage(name: "n", data: "d")).data == "d")
        #expect(try reread(CommandNotificationMessage(name: "n", data: "d")).name == "n")
        #expect(try reread(InformationNotificationMessage(message: "m")).message == "m")
        let notice = GroupNotificationMessage(operatorUserId: "o", operation: "Add", data: "{}", message: "m")
        #expect(try reread(notice).operation == "Add")
    }

    @Test func `a reference holds the message that it answers`() throws {
        let answer = ReferenceMessage(
            content: "yes", referMsg: TextMessage(text: "really?"), referMsgUserId: "u2", referMsgId: "9")
        let read = try reread(answer)
        #expect((read.referMsg as? TextMessage)?.text == "really?")
        #expect(read.referMsgId == "9" && read.referMsgUserId == "u2" && read.content == "yes")
    }

    @Test func `a path of this device stays on it`() throws {
        let file = FileMessage(localPath: "/somewhere/secret.txt")
        #expect(try !String(decoding: file.encoded(), as: UTF8.self).contains("somewhere"))
        #expect(try reread(file, isLocal: true).localPath == "/somewhere/secret.txt")
        #expect(file.name == "secret.txt" && file.fileType == "txt")
    }

    @Test(arguments: ["", "[]", "{", "{\"content\":5}", "{\"mentionedInfo\":7,\"user\":[]}", "\u{0}"])
    func `broken contents make a message all the same`(_ text: String) {
        let content = ContentRegistry.content(type: MessageType.text, bytes: Array(text.utf8))
        #expect(content is TextMessage || (content as? UnknownMessage)?.rawData == Data(text.utf8))
        for type in [
            MessageType.image, MessageType.file, MessageType.reference, MessageType.combine, MessageType.location, "app:x",
        ] {
            let other = ContentRegistry.content(type: type, bytes: Array(text.utf8))
            #expect(other.typeName == type)
        }
    }

    @Test func `numbers of any size make no trap`() {
        let text = #"{"size":1e300,"duration":99999999999999999999,"width":-1e999,"msgNum":1e40,"conversationType":1e30}"#
        for type in [MessageType.file, MessageType.hdVoice, MessageType.gif, MessageType.combine, MessageType.shortVideo] {
            #expect(!(ContentRegistry.content(type: type, bytes: Array(text.utf8)) is UnknownMessage))
        }
    }

    @Test func `references in references are read to their end, and too many of them make a message that is not known`() {
        func content(_ depth: Int) -> MessageContent? {
            var text = "{}"
            for _ in 0..<depth { text = #"{"objName":"RC:ReferenceMsg","referMsg":\#(text)}"# }
            return ContentRegistry.content(type: MessageType.reference, bytes: Array(text.utf8))
        }
        var depth = 0
        var next = content(100)
        while let reference = next as? ReferenceMessage { (depth, next) = (depth + 1, reference.referMsg) }
        #expect(depth == 101)
        #expect(content(100_000) is UnknownMessage)
    }

    @Test func `contents can be shared between threads`() async {
        let message = TextMessage(text: "0")
        await withTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    message.text = "\(number)"
                    message.extra = message.text
                }
            }
        }
        #expect(message.extra != nil)
    }

    @Test func `a message knows whether it mentions the user`() {
        func message(_ info: String, isSent: Bool = false) -> Message {
            Message(
                LocalMessage(
                    channel: ChatChannel(.group, "g"), sender: "u2", isSent: isSent, status: .received, sentTime: 1,
                    type: MessageType.text, content: Array(#"{"content":"t","mentionedInfo":\#(info)}"#.utf8)), user: "u1")
        }
        #expect(message(#"{"type":1}"#).content.mentionedInfo?.isMentionedMe == true)
        #expect(message(#"{"type":2,"userIdList":["u1"]}"#).content.mentionedInfo?.isMentionedMe == true)
        #expect(message(#"{"type":2,"userIdList":["u3"]}"#).content.mentionedInfo?.isMentionedMe == false)
        #expect(message(#"{"type":1}"#, isSent: true).content.mentionedInfo?.isMentionedMe == false)
    }
}
