// An application in Objective-C on Pusher: what its documentation does not show of the Objective-C face of PusherSwift. Only compiled.
#import <Foundation/Foundation.h>
#import "PusherSwift-Swift.h"

// An authorizer.
@interface Vouching : NSObject <Authorizer>
@end

@implementation Vouching

- (void)fetchAuthValueWithSocketID:(NSString *)socketID
                       channelName:(NSString *)channelName
                 completionHandler:(void (^)(PusherAuth *_Nullable))completionHandler {
    PusherAuth *auth = [[PusherAuth alloc] initWithAuth:@"key:signature" channelData:nil sharedSecret:nil];
    NSLog(@"%@ %@ %@", auth.auth, auth.channelData, auth.sharedSecret);
    completionHandler(auth);
    completionHandler(nil);
}

@end

// The delegate's method for states by its own selector.
@interface Watching : NSObject <PusherDelegate>
@end

@implementation Watching

- (void)changedConnectionStateFrom:(enum ConnectionState)old to:(enum ConnectionState)new_ {
    switch (new_) {
        case ConnectionStateConnecting: break;
        case ConnectionStateConnected: break;
        case ConnectionStateDisconnecting: break;
        case ConnectionStateDisconnected: break;
        case ConnectionStateReconnecting: break;
    }
    NSLog(@"%ld", (long)old);
}

@end

@interface Screen : NSObject
@property (nonatomic, strong) Pusher *pusher;
@end

@implementation Screen

- (void)options {
    OCAuthMethod *method = [[OCAuthMethod alloc] initWithAuthorizer:[[Vouching alloc] init]];
    method = [[OCAuthMethod alloc] initWithType:4];
    OCPusherHost *host = [[OCPusherHost alloc] init];
    PusherClientOptions *options = [[PusherClientOptions alloc] initWithOcAuthMethod:method
                                                          attemptToReturnJSONObject:NO
                                                                      autoReconnect:YES
                                                                             ocHost:host
                                                                               port:@443
                                                                             useTLS:YES
                                                                    activityTimeout:@60];
    [options setAuthMethodWithAuthMethod:method];
    BOOL flags = options.attemptToReturnJSONObject && options.autoReconnect && options.useTLS;
    NSLog(@"%d %@ %ld %@", flags, options.host, (long)options.port, options.path);
    self.pusher = [[Pusher alloc] initWithKey:@"key"];
    self.pusher = [[Pusher alloc] initWithKey:@"key" options:options];
    self.pusher = [[Pusher alloc] initWithAppKey:@"key" options:options];
}

- (void)connection {
    PusherConnection *connection = self.pusher.connection;
    id<PusherDelegate> delegate = self.pusher.delegate;
    self.pusher.delegate = delegate;
    connection.delegate = delegate;
    connection.OCReconnectAttemptsMax = @6;
    connection.OCReconnectAttemptsMax = nil;
    connection.OCMaxReconnectGapInSeconds = @120;
    connection.pongResponseTimeoutInterval = 30;
    connection.activityTimeoutInterval = 60;
    connection.reconnectAttempts = 0;
    connection.socketId = nil;
    connection.URLSession = NSURLSession.sharedSession;
    connection.options = connection.options;
    connection.globalChannel = connection.globalChannel;
    connection.channels = connection.channels;
    NSLog(@"%@ %@ %ld %@", connection.url, connection.key, (long)connection.connectionState, connection.userDataFetcher());
    [connection sendEventWithEvent:@"client-event" data:@{@"a": @1} channel:nil];
    [connection connect];
    [connection applicationDidEnterBackground];
    [connection applicationWillEnterForeground];
    [connection disconnect];
    PusherConnection *own = [[PusherConnection alloc] initWithKey:@"key"
                                                              url:@"wss://ws.pusherapp.com:443/app/key"
                                                          options:connection.options
                                                       URLSession:NSURLSession.sharedSession];
    NSLog(@"%@", own);
}

- (void)channels {
    PusherAuth *auth = [[PusherAuth alloc] initWithAuth:@"key:signature" channelData:@"{}" sharedSecret:nil];
    void (^onMember)(PusherPresenceChannelMember *) = ^(PusherPresenceChannelMember *member) {
        NSLog(@"%@ %@", member.userId, member.userInfo);
    };
    void (^onCount)(NSInteger) = ^(NSInteger count) {
        NSLog(@"%ld", (long)count);
    };
    PusherChannel *channel = [self.pusher subscribe:@"my-channel"
                                               auth:auth
                                      onMemberAdded:nil
                                    onMemberRemoved:nil
                         onSubscriptionCountChanged:onCount];
    channel = [self.pusher subscribeWithChannelName:@"my-channel"
                                      onMemberAdded:onMember
                                    onMemberRemoved:onMember
                         onSubscriptionCountChanged:onCount];
    PusherPresenceChannel *room = [self.pusher subscribeToPresenceChannelWithChannelName:@"presence-room"
                                                                                    auth:nil
                                                                           onMemberAdded:onMember
                                                                         onMemberRemoved:onMember
                                                              onSubscriptionCountChanged:onCount];
    room = [self.pusher subscribeToPresenceChannelWithChannelName:@"presence-room"
                                                    onMemberAdded:onMember
                                                  onMemberRemoved:onMember
                                       onSubscriptionCountChanged:onCount];
    room.onMemberAdded = onMember;
    room.onMemberRemoved = nil;
    room.onSubscriptionCountChanged = onCount;
    NSArray<PusherPresenceChannelMember *> *members = room.members;
    NSLog(@"%@ %@ %@ %@", members, room.myId, [room me], [room findMemberWithUserId:@"1"]);
    NSLog(@"%@ %d %@", channel.name, channel.subscribed, channel.connection);
    channel.auth = auth;
    PusherChannel *own = [[PusherChannel alloc] initWithName:@"own"
                                                  connection:self.pusher.connection
                                                        auth:nil
                                  onSubscriptionCountChanged:nil];
    PusherChannels *table = self.pusher.connection.channels;
    table.channels = @{@"own": own};
    NSLog(@"%@ %@", [table findWithName:@"own"], [table findPresenceWithName:@"presence-room"]);
    [channel triggerWithEventName:@"client-event" data:@{@"a": @1}];
    [channel unbindAllForEventName:@"new-price"];
    [channel unbindAll];
    [self.pusher unsubscribe:@"my-channel"];
    [self.pusher unsubscribeAll];
}

- (void)events {
    NSString *callbackId = [self.pusher bindWithEventCallback:^(PusherEvent *event) {
        NSLog(@"%@ %@ %@ %@", event.eventName, event.channelName, event.data, event.userId);
        NSLog(@"%@ %@", [event propertyWithKey:@"data"], [event copy]);
        [self.pusher.connection handleEventWithEvent:event];
    }];
    [self.pusher unbindWithCallbackId:callbackId];
    [self.pusher unbindAll];
    [self.pusher.connection.globalChannel unbindAll];
    [self.pusher bindWithCallback:^(id message) {
        NSLog(@"%@", message);
    }];
    [self.pusher connect];
    [self.pusher applicationDidEnterBackground];
    [self.pusher applicationWillEnterForeground];
    [self.pusher disconnect];
}

@end
